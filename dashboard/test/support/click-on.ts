// Clicks as a person does: sees whether the click met what was meant.
import type { ElementHandle, Page } from 'puppeteer-core'

/** Clicks what the selector finds, once it is not off; again if the page moved and the click met something else. */
export async function clickOn(page: Page, selector: string): Promise<void> {
  const found = page.locator(selector).filter(element => element.getAttribute('aria-disabled') !== 'true')
  for (let tries = 0; tries < 3; tries++) {
    const handle = await found.waitHandle()
    // What sticks to an edge of the page may cover it.
    if (tries > 0) await handle.evaluate(element => element.scrollIntoView({ block: 'center' }))
    const wasHit = await watchForClick(handle)
    await found.click()
    if (await wasHit()) return
  }
  throw new Error(`the page moved under each click on “${selector}”`)
}

/** Tells whether a click has met the element since, or the one that replaced it; a page that is left was clicked. */
async function watchForClick(element: ElementHandle): Promise<() => Promise<boolean>> {
  const watch = await element.evaluateHandle(node => {
    const nameOf = (of: Element): string => {
      const control = of.closest('a, button, input, summary, [role]') ?? of
      return `${control.tagName} ${control.ariaLabel ?? control.textContent}`
    }
    const watched = { name: nameOf(node), wasHit: false }
    const note = ({ target }: Event): void => {
      if (nameOf(target as Element) === watched.name) watched.wasHit = true
    }
    addEventListener('click', note, { capture: true, once: true })
    return watched
  })
  return () => watch.evaluate(({ wasHit }) => wasHit).catch(() => true)
}
