// Every screen shows hostile texts as texts: none runs, none becomes an element, in what was stored and in what is typed.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, hostileTexts, type Screen } from './support/dashboard.ts'
import { listRoutes } from './support/go-to-route.ts'
import { type HostileInstallation, hostileUser } from './support/hostile-installation.ts'
import { type HostileStage, startHostileStage } from './support/hostile-stage.ts'
import { enterAdminSecret, firstOfOperator, goTo, visits } from './support/screens.ts'

let stage: HostileStage
let dashboard: Dashboard
let installation: HostileInstallation
beforeAll(async () => {
  stage = await startHostileStage()
  ;({ dashboard, installation } = stage)
})
afterAll(() => stage?.stop())

test('every screen shows hostile texts, and takes them in every field, as texts', async () => {
  await dashboard.visit(
    '/app',
    async screen => {
      await screen.page.waitForSelector('main h1')
      expect([...new Set(visits.map(({ route }) => route))].sort()).toEqual((await listRoutes(screen.page)).sort())
      for (const visit of visits) {
        await goTo(screen, visit, installation)
        if (visit.route === firstOfOperator) {
          await typeIntoAllFields(screen)
          await enterAdminSecret(screen)
        }
        await waitUntilShown(screen, visit.route, visit.shows)
        await expectHarmless(screen, visit.route)
        await screen.expectAccessibleTablet()
        await typeIntoAllFields(screen)
        await expectHarmless(screen, visit.route)
      }
    },
    hostileUser,
  )
})

/** What the screen shows as text, the values of its fields and the names of its options. */
function readTexts(): string {
  const main = document.querySelector('main')
  const controls = [...(main?.querySelectorAll<HTMLInputElement>('input, textarea') ?? [])]
  const options = [...(main?.querySelectorAll('option') ?? [])]
  return [main?.innerText, ...controls.map(({ value }) => value), ...options.map(({ text }) => text)].join('\n')
}

async function waitUntilShown(screen: Screen, route: string, expected: readonly string[]): Promise<void> {
  const findMissing = async () => {
    const texts = await screen.page.evaluate(readTexts)
    return expected.filter(text => !texts.includes(text))
  }
  await expect.poll(findMissing, { message: route }).toEqual([])
}

async function expectHarmless(screen: Screen, route: string): Promise<void> {
  const found = await screen.page.evaluate(() => ({
    hasRun: Reflect.get(window, 'hostile') !== undefined,
    // The dashboard itself has none of these.
    elements: document.querySelectorAll('img, [onerror], script:not([src])').length,
    alerts: [...document.querySelectorAll('main [role=alert]')].map(({ textContent }) => textContent).filter(Boolean),
  }))
  expect([route, found]).toEqual([route, { hasRun: false, elements: 0, alerts: [] }])
  screen.expectNoErrors()
}

/** Without sending anything. The next screen is gone to although the edits are not saved. */
async function typeIntoAllFields({ page }: Screen): Promise<void> {
  await page.$$eval('main details', all => {
    for (const one of all) one.open = true
  })
  for (const field of await page.$$(
    'main :is(textarea, input:not([type=date], [type=hidden], [type=checkbox], [type=file], [type=submit])):not(:disabled)',
  )) {
    for (const text of hostileTexts) {
      await field.focus()
      await field.evaluate(element => (element as HTMLInputElement).select())
      await page.keyboard.sendCharacter(text)
      expect(await field.evaluate(element => (element as HTMLInputElement).value)).toBe(text)
    }
  }
}
