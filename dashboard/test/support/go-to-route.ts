// The routes of the dashboard as its page knows them, and the way to one of them. Needs no test runner: the pictures of
// the dashboard are taken by it, too.
import type { Page } from 'puppeteer-core'

export interface Address {
  /** The path of the route, as the router names it. */
  route: string
  /** For a route of which the address leads on to another one. */
  leadsTo?: string
  search?: string
}

/** The routes that have a screen, as the page knows them. */
export const listRoutes = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const routes: { fullPath: string; children?: unknown }[] = Object.values(
      Reflect.get(window, '__TSR_ROUTER__').routesById,
    )
    return routes.filter(({ children }) => children === undefined).map(({ fullPath }) => fullPath)
  })

/** Goes there as a link does, so that the page stays, and waits until everything is read. */
export async function goToRoute(page: Page, address: Address, ids: Record<string, string>): Promise<void> {
  const { route, leadsTo = route, search = '' } = address
  const path = Object.entries(ids).reduce((filled, [param, id]) => filled.replace(`$${param}`, id), route)
  await page.evaluate(
    href => Reflect.get(window, '__TSR_ROUTER__').history.push(href, undefined, { ignoreBlocker: true }),
    path + search,
  )
  await page.waitForFunction(isLoaded, {}, leadsTo)
}

function isLoaded(route: string): boolean {
  const { state } = Reflect.get(window, '__TSR_ROUTER__')
  const statuses = [...document.querySelectorAll('main [role=status]')].map(({ textContent }) =>
    (textContent ?? '').trim(),
  )
  return (
    state.status === 'idle' &&
    state.matches.at(-1)?.fullPath === route &&
    document.querySelector('main h1') !== null &&
    !statuses.some(status => status.startsWith('Loading'))
  )
}
