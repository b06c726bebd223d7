// Loads each address twice, without and with the cache of the browser, and reads what the browser counted.
import { type Page, PredefinedNetworkConditions } from 'puppeteer-core'
import type { Address } from './addresses.ts'

export const networks = ['loopback', 'Fast 4G', 'Slow 4G'] as const
export type Network = (typeof networks)[number]

export interface Load {
  route: string
  kilobytes: number
  files: number
  firstPaintMs: number
  interactiveMs: number
  /** The same, from the browser's cache. */
  againMs: number
  /** The larger one of both loads. */
  shift: number
}

const phone = { width: 390, height: 844, isMobile: true, hasTouch: true }
/** How much slower a phone's processor is. */
const slowness = 4
/** A screen on which nothing loads for so long has got all that it shows. */
const quietMs = 500

export async function measureLoads(page: Page, network: Network, addresses: readonly Address[]): Promise<Load[]> {
  await page.setViewport(phone)
  await page.emulateCPUThrottling(slowness)
  await page.emulateNetworkConditions(network === 'loopback' ? null : PredefinedNetworkConditions[network])
  const script = await page.evaluateOnNewDocument(watch, quietMs)
  const loads: Load[] = []
  for (const { route, url } of addresses) {
    await page.setCacheEnabled(false)
    const first = await load(page, url)
    // The way to the addresses has filled it.
    await page.setCacheEnabled(true)
    const again = await load(page, url)
    const shift = Number(Math.max(first.shift, again.shift).toFixed(3))
    const { kilobytes, files, firstPaintMs, interactiveMs } = first
    loads.push({ route, kilobytes, files, firstPaintMs, interactiveMs, againMs: again.interactiveMs, shift })
  }
  await page.removeScriptToEvaluateOnNewDocument(script.identifier)
  return loads
}

type Measured = Omit<Load, 'route' | 'againMs'>

async function load(page: Page, url: string): Promise<Measured> {
  await page.goto('about:blank')
  await page.goto(url)
  await page.waitForFunction(() => Reflect.get(window, 'measured') !== undefined, { polling: 100 })
  return page.evaluate(() => Reflect.get(window, 'measured'))
}

/** Runs in the page, before its scripts. */
function watch(quietMs: number): void {
  let shift = 0
  let readyMs = 0
  const shifts = new PerformanceObserver(list => {
    for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[]) shift += entry.value
  })
  shifts.observe({ type: 'layout-shift', buffered: true })
  const measure = (): void => {
    const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
    const resources = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
    const before = resources.filter(({ startTime }) => startTime <= readyMs)
    const bytes = before.reduce((sum, { transferSize }) => sum + transferSize, navigation?.transferSize ?? 0)
    Reflect.set(window, 'measured', {
      kilobytes: Math.round(bytes / 1000),
      files: before.length + 1,
      firstPaintMs: Math.round(performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0),
      interactiveMs: Math.round(readyMs),
      shift,
    })
  }
  const look = (): void => {
    const router = Reflect.get(window, '__TSR_ROUTER__')
    const isReady =
      router?.state.status === 'idle' &&
      document.querySelector('h1') !== null &&
      document.querySelector('[data-loading]') === null
    if (!isReady) readyMs = 0
    // A frame is drawn only when no task occupies the page.
    else if (readyMs === 0) readyMs = performance.now()
    if (isReady && performance.now() - readyMs > quietMs) measure()
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}
