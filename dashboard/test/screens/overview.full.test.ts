// The overviews: a project's traffic by outcome against the period before, what is live beside the draft, what is spent
// by whom; the same of a tenant and of the installation; and the bar that deploys the draft from every screen.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SimulatedProvider, startSimulatedProvider } from '../../../server/src/demo/simulated-provider.ts'
import { type Dashboard, type Screen, startDashboard } from '../support/dashboard.ts'
import { enterAdminSecret } from '../support/screens.ts'
import { adminSecret, askAs, createStage, createViewer, type Stage } from '../support/stage.ts'

let provider: SimulatedProvider
let dashboard: Dashboard
let stage: Stage
let overview: string
beforeAll(async () => {
  provider = await startSimulatedProvider()
  dashboard = await startDashboard({
    ADMIN_SECRET: adminSecret,
    OPENAI_BASE_URL: provider.baseUrl,
    PLATFORM_OPENAI_API_KEY: 'sk-simulated-key-of-this-test',
    PLATFORM_DEFAULT_MODEL: 'openai/gpt-4o-mini',
    SYNC_INTERVAL: '1',
  })
  stage = await createStage(dashboard, 'Support chat')
  overview = `/app/projects/${stage.projectId}`
  const settings = `/auth/v1/projects/${stage.projectId}/settings`
  await dashboard.call('PUT', settings, { user_rpm_limit: 2 })
  await dashboard.call('POST', `${settings}/deploy`)
  await dashboard.call('PUT', settings, { rpm_limit: 77 })
  const key = await dashboard.call('POST', `/auth/v1/projects/${stage.projectId}/api-keys`, { name: 'server' })
  const ask = () => askAs(dashboard, { slug: stage.slug, apiKey: key['api_key'] ?? '', uid: 'reader-1', text: 'Hello' })
  expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429])
})
afterAll(async () => {
  await dashboard?.stop()
  await provider?.close()
})

const cardOf = (screen: Screen, title: string): Promise<string> =>
  screen.page.$$eval(
    'main section',
    (all, wanted) => all.find(one => one.querySelector('h2')?.textContent === wanted)?.innerText ?? '',
    title,
  )

test('a project’s overview shows traffic by outcome, the live configuration, and who cost what', async () => {
  await dashboard.visit(overview, async screen => {
    await screen.waitForText('Requests by hour (UTC)')
    await expect.poll(() => cardOf(screen, 'Top end users')).toContain('reader-1')
    await screen.clickOn('figure summary')
    // The last hour: answered, rejected, failed, and the same hour of the day before.
    await expect.poll(() => screen.page.$eval('figure tbody', body => body.innerText)).toMatch(/\t2\t1\t0\t0\s*$/)
    await expect.poll(() => cardOf(screen, 'Live configuration')).toMatch(/Requests per minute\s+60, 2 per user/)
    await expect.poll(() => cardOf(screen, 'Top models')).toContain('gpt-4o-mini')
    await expect.poll(() => cardOf(screen, 'Top errors')).toMatch(/rate_limited\s+1\s+33\.3%/)
    await screen.expectAccessible()
    // A series is hidden by the keyboard, too.
    await screen.page.focus('figure input[type=checkbox]')
    await screen.page.keyboard.press('Space')
    expect(await screen.page.$$eval('figure svg rect.fill-chart-accent', bars => bars.length)).toBe(0)
    await zoomIntoChart(screen)
    await screen.click('7 days', 'link')
    await screen.waitForText('Requests by day (UTC)')
    expect(screen.page.url()).toContain('range=7d')
  })
})

/** By the buttons, which the keyboard reaches. */
async function zoomIntoChart(screen: Screen): Promise<void> {
  const caption = 'Requests by hour (UTC)'
  const columns = () => screen.page.$$eval('figure tbody tr', rows => rows.length)
  expect(await columns()).toBe(24)
  await screen.click(`${caption}: zoom in`)
  await expect.poll(columns).toBe(12)
  await screen.expectAccessible()
  await screen.click(`${caption}: later`)
  await screen.click(`${caption}: show all`)
  await expect.poll(columns).toBe(24)
  await dragOverChart(screen)
  // Less than half of the chart's width, more than a quarter of it.
  await expect.poll(columns).toBeLessThan(12)
  expect(await columns()).toBeGreaterThan(6)
  await screen.click(`${caption}: show all`)
  await expect.poll(columns).toBe(24)
}

async function dragOverChart({ page }: Screen): Promise<void> {
  const { x, y, width } = await page.$eval('figure svg[role=img]', svg => {
    svg.scrollIntoView({ block: 'center' })
    return svg.getBoundingClientRect().toJSON() as { x: number; y: number; width: number }
  })
  await page.mouse.move(x + width * 0.9, y + 60)
  await page.mouse.down()
  await page.mouse.move(x + width * 0.5, y + 80, { steps: 5 })
  await page.waitForSelector('figure svg rect.fill-accent-tint')
  await page.mouse.up()
}

test('the bar on every screen reviews, discards and deploys the draft; a viewer only reviews', async () => {
  const viewer = await createViewer(dashboard, stage.tenantId)
  await dashboard.visit(
    `${overview}/api-keys`,
    async screen => {
      await screen.waitForText('1 change is not live')
      const names = await screen.page.$$eval('[aria-label^=Changes] button', all => all.map(one => one.textContent))
      expect(names).toEqual(['Review'])
    },
    viewer,
  )
  await dashboard.visit(`${overview}/api-keys`, async screen => {
    await screen.waitForText('1 change is not live')
    await screen.expectAccessible()
    await screen.click('Review')
    await screen.waitForText('Requests per minute')
    await screen.expectAccessible()
    await screen.click('Deploy')
    await screen.waitForText('Deployed. The settings are live')
    await screen.page.waitForFunction('document.querySelector("[aria-label^=Changes]") === null')
    expect(await dashboard.call('GET', `/auth/v1/projects/${stage.projectId}/settings/changes`)).toEqual([])
  })
})

test('the tenant’s overview adds its projects up, and the operator’s all tenants', async () => {
  await dashboard.visit(`/app/tenants/${stage.tenantId}`, async screen => {
    await screen.waitForText('Cost by project')
    await expect.poll(() => cardOf(screen, 'Cost by project')).toMatch(/Support chat\s+2/)
    await expect.poll(() => cardOf(screen, 'Cost by model')).toContain('openai/gpt-4o-mini')
    await expect.poll(() => cardOf(screen, 'Members')).toMatch(/owner@example\.com\s+owner/)
    await expect.poll(() => cardOf(screen, 'Alerts')).toContain('No project has an alert')
    const alert = { name: 'Many', on: 'requests', over: 1000, window_minutes: 5, for: {} }
    await dashboard.call('PUT', `/auth/v1/projects/${stage.projectId}/alerts`, { alerts: [alert] })
    await screen.open(`/app/tenants/${stage.tenantId}`)
    await expect.poll(() => cardOf(screen, 'Alerts')).toMatch(/1 alert\s+No alert is active/)
    await screen.expectAccessible()
    await screen.open('/app/operator/overview')
    await enterAdminSecret(screen)
    await screen.waitForText('Tenants by cost')
    await expect.poll(() => cardOf(screen, 'Tenants by cost')).toMatch(/Acme\s+2/)
    await screen.waitForText('Ready')
    await expect
      .poll(() => cardOf(screen, 'Health'))
      .toMatch(/SQLite \([\d.]+ ms\)[\s\S]+Webhook deliveries waiting\s+0/)
    await screen.expectAccessible()
  })
})
