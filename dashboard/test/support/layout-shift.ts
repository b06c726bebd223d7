// Measures how far a screen moves what it has shown while it loads. Every response reaches the page some frames after
// the one before, so what the parts of a screen do to each other does not depend on the speed of the machine.
import type { Page } from 'puppeteer-core'

export interface Shift {
  /** As browsers add it up, without a person's input: https://web.dev/articles/cls */
  score: number
  /** What moved most, and how far. */
  moved: string[]
}

interface LayoutShift extends PerformanceEntry {
  value: number
  hadRecentInput: boolean
  sources: { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[]
}

/** Of all pages that are opened from now on. The order is that of the responses that wait. */
export async function watchShift(page: Page, order: 'first first' | 'last first'): Promise<void> {
  await page.evaluateOnNewDocument(isLastFirst => {
    const shift = { score: 0, moved: [] as string[], waiting: 0 }
    Reflect.set(window, 'shift', shift)
    const nameOf = (node: Node | null): string => {
      const element = node instanceof Element ? node : node?.parentElement
      return `${element?.tagName.toLowerCase()} “${element?.textContent?.trim().slice(0, 40)}”`
    }
    new PerformanceObserver(list => {
      for (const entry of list.getEntries() as LayoutShift[]) {
        if (entry.hadRecentInput) continue
        shift.score += entry.value
        for (const { node, previousRect, currentRect } of entry.sources) {
          const [from, to] = [previousRect, currentRect].map(({ x, y }) => `${Math.round(x)},${Math.round(y)}`)
          shift.moved.push(`${entry.value.toFixed(3)} ${nameOf(node)} from ${from} to ${to}`)
        }
      }
    }).observe({ type: 'layout-shift', buffered: true })
    const send = window.fetch
    const held: (() => void)[] = []
    window.fetch = async (...request) => {
      shift.waiting += 1
      const answer = send(...request)
      await Promise.allSettled([answer])
      await new Promise<void>(resolve => held.push(resolve))
      shift.waiting -= 1
      return answer
    }
    let frames = 0
    const passOne = (): void => {
      frames += 1
      if (frames % 3 === 0) (isLastFirst ? held.pop() : held.shift())?.()
      requestAnimationFrame(passOne)
    }
    passOne()
  }, order === 'last first')
}

/** Once the page, whose route is idle, has got every response and has shown it. */
export async function readShift(page: Page): Promise<Shift> {
  await page.waitForFunction(
    () => {
      const router = Reflect.get(window, '__TSR_ROUTER__')
      return (
        router?.state.status === 'idle' &&
        Reflect.get(window, 'shift').waiting === 0 &&
        document.querySelector('h1') !== null &&
        document.querySelector('[data-loading]') === null
      )
    },
    { polling: 50 },
  )
  return page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame += 1) await new Promise(resolve => requestAnimationFrame(resolve))
    const { score, moved } = Reflect.get(window, 'shift')
    return { score, moved }
  })
}
