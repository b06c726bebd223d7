// Takes pictures of every screen at three widths and in both colour schemes, for people who look for what is wrong with
// them (`npm run docs:screenshots -- --every`). They are not committed. A screen that scrolls sideways is reported.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'puppeteer-core'
import { clickOn } from '../test/support/click-on.ts'
import { goToRoute, listRoutes } from '../test/support/go-to-route.ts'
import type { ScreenIds } from './seed-rest.ts'

const folder = join(import.meta.dirname, '../test/.screenshots')
const widths = [1440, 834, 390]
const schemes = ['light', 'dark']
/** They lead to another route. */
export const leadingOn = ['/', '/app/']
export const ofOperator = '/app/operator/'
const proof = 'aria/Continue as yourself[role="button"]'
export const searches: Record<string, string> = {
  '/app/projects/$projectId/end-users/user': '?uid=reader-1187',
  '/app/projects/$projectId/': '?range=7d',
  '/sso': '?problem=sso_expired',
}

/** The page is signed in. With words, takes only the screens whose routes contain one of them. */
export async function takeEveryScreen(page: Page, ids: ScreenIds, words: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await page.waitForSelector('main h1')
  const isWanted = (route: string) => words.length === 0 || words.some(word => route.includes(word))
  const routes = (await listRoutes(page)).filter(route => !leadingOn.includes(route) && isWanted(route))
  for (const route of routes) {
    await goToRoute(page, { route, search: searches[route] ?? '' }, { ...ids })
    // The operator's screens ask once.
    if (route.startsWith(ofOperator) && (await page.$(proof)) !== null) await clickOn(page, proof)
    await page.waitForNetworkIdle({ concurrency: 1, idleTime: 300 })
    await takeSizes(
      page,
      route
        .replace(/^\/app\//, '')
        .replace(/[^a-zA-Z0-9]+/g, '-')
        .replace(/^-|-$/g, ''),
    )
  }
}

async function takeSizes(page: Page, name: string): Promise<void> {
  for (const width of widths) {
    await page.setViewport({ width, height: 900 })
    const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'))
    if (overflow > 0) console.log(`${name}: ${overflow} px too wide at ${width}`)
    for (const scheme of schemes) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
      await page.screenshot({ path: join(folder, `${name}-${width}-${scheme}.png`), fullPage: true })
    }
  }
}
