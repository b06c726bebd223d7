// The addresses of all screens of a seeded installation. The page is signed in by it.
import type { Page } from 'puppeteer-core'
import { leadingOn, ofOperator, searches } from '../screenshots/every-screen.ts'
import type { ScreenIds } from '../screenshots/seed-rest.ts'
import { goToRoute, listRoutes } from '../test/support/go-to-route.ts'

export interface Address {
  route: string
  url: string
}

export async function collectAddresses(
  page: Page,
  origin: string,
  owner: { email: string; password: string },
  ids: ScreenIds,
): Promise<Address[]> {
  await page.evaluate(async body => {
    const headers = { 'content-type': 'application/json' }
    await fetch('/auth/v1/sessions?cookie=true', { method: 'POST', headers, body })
  }, JSON.stringify(owner))
  await page.goto(`${origin}/app`)
  await page.waitForSelector('main h1')
  // The operator's screens show what they read only after a question, which every load asks again.
  const routes = (await listRoutes(page)).filter(route => !leadingOn.includes(route) && !route.startsWith(ofOperator))
  const addresses: Address[] = []
  for (const route of routes) {
    await goToRoute(page, { route, search: searches[route] ?? '' }, { ...ids })
    addresses.push({ route, url: page.url() })
  }
  return addresses
}
