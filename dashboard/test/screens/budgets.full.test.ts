// Budgets of a tenant and of an end user: edited as amounts, with what was spent of them and when the period ends; those
// of a project beside its usage.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SimulatedProvider, startSimulatedProvider } from '../../../server/src/demo/simulated-provider.ts'
import { formatUsd } from '../../src/ui/numbers.ts'
import { type Dashboard, hostileTexts, type Screen, startDashboard } from '../support/dashboard.ts'
import { adminSecret, askAs, createStage, createViewer, type Stage } from '../support/stage.ts'

interface Budgets {
  budgets: { usd: number; period: string }[]
  spent_usd: { day: number; month: number }
  period_ends: { day: string; month: string }
}

const uid = hostileTexts[1] ?? ''
const model = 'openai/gpt-4o-mini'

let provider: SimulatedProvider
let dashboard: Dashboard
let stage: Stage
let apiKey: string
beforeAll(async () => {
  provider = await startSimulatedProvider()
  dashboard = await startDashboard({ ADMIN_SECRET: adminSecret, OPENAI_BASE_URL: provider.baseUrl })
  stage = await createStage(dashboard)
  const { call } = dashboard
  const tenant = `/auth/v1/tenants/${stage.tenantId}`
  await call('PUT', `${tenant}/providers/openai`, { api_key: 'sk-a-key-that-is-long-enough' })
  // A tenth of a cent a token, so that a short answer costs several cents.
  await call('PUT', `${tenant}/prices`, { model, input: 1000, output: 1000 })
  const project = `/auth/v1/projects/${stage.projectId}`
  await call('PUT', `${project}/settings/model`, { provider_model: model })
  await call('PUT', `${project}/settings`, { budgets: [{ usd: 40, period: 'month' }] })
  await call('POST', `${project}/settings/deploy`)
  apiKey = (await call('POST', `${project}/api-keys`, { name: 'backend' }))['api_key'] ?? ''
})
afterAll(async () => {
  await dashboard?.stop()
  await provider?.close()
})

const ask = (text: string) => askAs(dashboard, { slug: stage.slug, apiKey, uid, text })
const tenantPath = () => `/auth/v1/tenants/${stage.tenantId}/budgets`
const userPath = () => `/auth/v1/projects/${stage.projectId}/users/~${Buffer.from(uid).toString('base64url')}/budgets`
const userScreen = () => `/app/projects/${stage.projectId}/end-users/user?uid=${encodeURIComponent(uid)}`
const read = (path: string) => dashboard.call<Budgets>('GET', path)

/** As the screens show budgets. */
const exactly = (usd: number) =>
  new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: 6,
  }).format(usd)
const endOf = (iso: string) => {
  const date = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(iso))
  return `until ${date}, 12:00`
}
/** The widths of the bars, in percent. */
const listBars = (screen: Screen) =>
  screen.page.$$eval('main dl svg rect + rect', bars => bars.map(bar => Number(bar.getAttribute('width'))))

test('the budgets of a tenant are edited, and show what was spent and when the period ends', async () => {
  expect(await ask('Hello')).toBe(200)
  const { spent_usd: spent, period_ends: ends } = await read(tenantPath())
  expect(spent.month).toBeGreaterThan(0.001)
  await dashboard.visit(`/app/tenants/${stage.tenantId}/budgets`, async screen => {
    await screen.waitForText(`${formatUsd(spent.day)} spent, no daily budget`)
    await screen.waitForText(`${formatUsd(spent.month)} spent, no monthly budget`)
    await screen.waitForText(`Today, ${endOf(ends.day)}`)
    await screen.waitForText(`This month, ${endOf(ends.month)}`)
    await screen.fill('Monthly budget (USD)', 'much')
    await screen.click('Save budgets')
    await screen.waitForText('Monthly budget must be between $0.000001 and $1,000,000')
    expect(await screen.page.$eval('[aria-invalid]', field => field.getAttribute('name'))).toBe('budgets.month')
    await screen.fill('Monthly budget (USD)', '50.0')
    await screen.click('Save budgets')
    await screen.waitForText(`${formatUsd(spent.month)} spent of $50.00 a month`)
    await screen.waitForText('The budgets are saved.')
    expect(await screen.valueOf('Monthly budget (USD)')).toBe('50')
    expect((await read(tenantPath())).budgets).toEqual([{ usd: 50, period: 'month' }])
    expect(await listBars(screen)).toEqual([expect.closeTo((100 * spent.month) / 50, 3)])

    // Answers and changes of others show while the screen is open, and an edit stays.
    await screen.fill('Daily budget (USD)', '7')
    expect(await ask('Hello again')).toBe(200)
    await dashboard.call('PUT', tenantPath(), { budgets: [{ usd: spent.month, period: 'month' }] })
    const later = (await read(tenantPath())).spent_usd
    expect(later.month).toBeGreaterThan(spent.month)
    await screen.waitForText(`${formatUsd(later.month)} spent of ${exactly(spent.month)} a month`)
    await screen.waitForText('Used up')
    await screen.waitForText('$0.00 left')
    expect(await listBars(screen)).toEqual([100])
    expect(await screen.valueOf('Daily budget (USD)')).toBe('7')
    await screen.expectAccessible()
    await expect.poll(() => ask('Once more')).toBe(429)

    await screen.click('Events', 'link')
    await screen.waitForText('Leave without saving?')
    await screen.click('Stay')
    await screen.click('Undo edits: Budgets')
    expect(await screen.valueOf('Daily budget (USD)')).toBe('')
    await screen.fill('Monthly budget (USD)', '')
    await screen.click('Save budgets')
    await screen.waitForText('no monthly budget')
    await expect.poll(() => ask('Once more')).toBe(200)

    await screen.open(`/app/tenants/${stage.tenantId}/events`)
    await screen.waitForText('Budget alert')
    await screen.choose('What', 'budget_alert')
    await screen.waitForText('100% of ')
    await screen.open(`/app/tenants/${stage.tenantId}/webhooks`)
    await screen.click('New webhook')
    await screen.choose('Events', 'some')
    await screen.page.waitForSelector('aria/Budget alert[role="checkbox"]')
  })
})

test('an end user has budgets on its own screen, and a project beside its usage', async () => {
  expect(await ask('Hello')).toBe(200)
  const { spent_usd: spent } = await read(userPath())
  await dashboard.visit(userScreen(), async screen => {
    await screen.waitForText(`${formatUsd(spent.day)} spent, no daily budget`)
    await screen.fill('Daily budget (USD)', '0')
    await screen.click('Save budgets')
    await screen.waitForText('Daily budget must be between $0.000001 and $1,000,000')
    await screen.fill('Daily budget (USD)', String(spent.day * 1.1))
    await screen.click('Save budgets')
    await screen.waitForText('Nearly used up')
    await screen.waitForText('90.9% spent')
    expect((await read(userPath())).budgets).toEqual([{ usd: spent.day * 1.1, period: 'day' }])
    await expect.poll(() => ask('Hello')).toBe(429)
    await screen.expectAccessible()

    const { spent_usd: ofProject } = await read(`/auth/v1/projects/${stage.projectId}/budgets`)
    await screen.open(`/app/projects/${stage.projectId}/usage`)
    await screen.waitForText(`${formatUsd(ofProject.month)} spent of $40.00 a month`)
    await screen.waitForText(`${formatUsd(ofProject.day)} spent, no daily budget`)
    await screen.expectAccessible()
  })
})

test('a viewer reads the amounts and what was spent, without controls', async () => {
  const viewer = await createViewer(dashboard, stage.tenantId)
  await dashboard.call('PUT', tenantPath(), { budgets: [{ usd: 12.5, period: 'day' }] })
  await dashboard.call('PUT', userPath(), { budgets: [{ usd: 8.25, period: 'month' }] })
  await dashboard.visit(
    `/app/tenants/${stage.tenantId}/budgets`,
    async screen => {
      await screen.waitForText('of $12.50 a day')
      await screen.waitForText('Your role does not let you change the budgets')
      expect(await screen.page.$$('main input, main button')).toEqual([])
      await screen.open(userScreen())
      await screen.waitForText('of $8.25 a month')
      expect(await screen.page.$$('main input[inputmode=decimal]')).toEqual([])
      expect(await screen.text()).not.toContain('Save budgets')
    },
    viewer,
  )
})
