// Routes, the cache and budgets as settings: edited without JSON, drafted and deployed, by project and tier; what the API
// rejects is shown at the control that it is about.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type SimulatedProvider, startSimulatedProvider } from '../../../server/src/demo/simulated-provider.ts'
import { type Dashboard, type Screen, startDashboard } from '../support/dashboard.ts'
import { adminSecret, askAs, createStage, type Stage } from '../support/stage.ts'

let provider: SimulatedProvider
let dashboard: Dashboard
let stage: Stage
let settingsPath: string
beforeAll(async () => {
  provider = await startSimulatedProvider()
  dashboard = await startDashboard({ OPENAI_BASE_URL: provider.baseUrl, ADMIN_SECRET: adminSecret })
})
beforeEach(async () => {
  stage = await createStage(dashboard)
  const key = { api_key: 'sk-a-key-that-is-long-enough' }
  await dashboard.call('PUT', `/auth/v1/tenants/${stage.tenantId}/providers/openai`, key)
  settingsPath = `/app/projects/${stage.projectId}/settings`
})
afterAll(async () => {
  await dashboard?.stop()
  await provider?.close()
})

const [mini, big] = ['openai/gpt-4o-mini', 'openai/gpt-4o']
/** As the seed of the registry has it. */
const unpriced = 'openai/gpt-6.1-sol'
const routing = 'Save draft'
const readDraft = () => dashboard.call<object>('GET', `/auth/v1/projects/${stage.projectId}/settings`)
const put = (body: object) => dashboard.call('PUT', `/auth/v1/projects/${stage.projectId}/settings`, body)
const focusedLabel = (screen: Screen) =>
  screen.page.evaluate(() => {
    const { activeElement: focused } = document
    if (focused instanceof HTMLSelectElement || focused instanceof HTMLInputElement)
      return focused.labels?.[0]?.innerText
    return focused?.getAttribute('aria-label')
  })
/** The name of the control at which a message is, and the message. */
const shownError = (screen: Screen) =>
  screen.page.$eval('[aria-invalid]', field => {
    const ids = field.getAttribute('aria-describedby')?.split(' ') ?? []
    return [field.getAttribute('name'), document.getElementById(ids.at(-1) ?? '')?.innerText]
  })

/** Chooses two targets, after each fault that the form shows at its control. */
async function addTargets(screen: Screen): Promise<void> {
  await screen.choose('Which model gets a request', 'fallback')
  await screen.waitForText('Undo edits')
  await screen.click(routing)
  await screen.waitForText('Model of target 1 must be a known model ID')
  expect(await shownError(screen)).toEqual(['routes.targets[0].model', 'Model of target 1 must be a known model ID'])
  expect(await focusedLabel(screen)).toBe('Model of target 1')
  await screen.page.waitForSelector(`[name="routes.targets[0].model"] option[value="${big}"]`)
  await screen.choose('Model of target 1', big)
  await screen.click('Add a target')
  await screen.page.waitForSelector('[name="routes.targets[1].model"]:focus')
  await screen.choose('Model of target 2', mini)
  await screen.fill('Timeout of target 2 (ms)', 'soon')
  await screen.click(routing)
  await screen.waitForText('Timeout of target 2 must be between 1 and 600,000')
  expect((await shownError(screen))[0]).toBe('routes.targets[1].timeout_ms')
  await screen.fill('Timeout of target 2 (ms)', '2000')
  await screen.expectAccessible()
}

/** What a deploy would change says so. */
async function expectReviewed(screen: Screen, text: string): Promise<void> {
  await screen.click('Review')
  await screen.waitForText(text)
  await screen.click('Close')
}

test('routes are edited target by target, with the keyboard too, and errors show at their control', async () => {
  await dashboard.visit(settingsPath, async screen => {
    await screen.waitForText('The draft is the same as what is live.')
    await addTargets(screen)

    await screen.page.focus('[aria-label="Move target 2 up"]')
    await screen.page.keyboard.press('Enter')
    await screen.page.waitForSelector('[aria-label="Move target 1 up"]:focus')
    expect(await screen.valueOf('Model of target 1')).toBe(mini)
    expect(await screen.valueOf('Timeout of target 1 (ms)')).toBe('2000')
    await screen.choose('Retries of the same target', '2')
    await screen.click('A timeout', 'checkbox')
    await screen.fill('Timeout for the first token of a stream (ms)', '3000')
    await screen.click(routing)
    await screen.waitForText('1 change is not live')
    const routes = {
      targets: [{ model: mini, timeout_ms: 2000 }, { model: big }],
      strategy: 'fallback',
      retry: { attempts: 2, on: ['connect', '429', '5xx'] },
      first_token_timeout_ms: 3000,
    }
    expect(await readDraft()).toMatchObject({ routes })
    await expectReviewed(screen, `${mini}: timeout_ms 2000`)
    await screen.click('Deploy')
    await screen.waitForText('The draft is the same as what is live.')

    await screen.choose('Which model gets a request', 'weighted')
    await screen.fill('Weight of target 2', '9')
    await screen.click('Remove target 1')
    await screen.page.waitForSelector('[name="routes.targets[0].model"]:focus')
    await screen.choose('Retries of the same target', '')
    // Passing over “no routes” loses nothing.
    await screen.choose('Which model gets a request', '')
    await screen.choose('Which model gets a request', 'weighted')
    expect(await screen.valueOf('Weight of target 1')).toBe('9')
    await screen.click(routing)
    await screen.waitForText('1 change is not live')
    expect(await readDraft()).toMatchObject({ routes: { targets: [{ model: big, weight: 9 }], strategy: 'weighted' } })
    await screen.choose('Which model gets a request', '')
    await screen.click(routing)
    await expectReviewed(screen, 'The project’s model answers')
    expect(await readDraft()).toMatchObject({ routes: null })
  })
})

test('the cache is switched on and off, and budgets are amounts of a day and a month', async () => {
  await dashboard.visit(settingsPath, async screen => {
    await screen.waitForText('The draft is the same as what is live.')
    await screen.choose('Who gets a cached answer', 'project')
    await screen.fill('Cache lifetime (seconds)', '0')
    await screen.click(routing)
    await screen.waitForText('Cache lifetime must be between 1 and 86,400')
    expect((await shownError(screen))[0]).toBe('cache.ttl_seconds')
    await screen.fill('Cache lifetime (seconds)', '7200')
    await screen.click(routing)
    await expectReviewed(screen, 'For 7,200 seconds, to: All end users of the project')
    expect(await readDraft()).toMatchObject({ cache: { ttl_seconds: 7200, scope: 'project' } })

    await screen.fill('Daily budget (USD)', '2,5')
    await screen.click('Save draft')
    await screen.waitForText('Daily budget must be between $0.000001 and $1,000,000')
    expect((await shownError(screen))[0]).toBe('budgets.day')
    await screen.fill('Daily budget (USD)', '0.000002')
    await screen.fill('Monthly budget (USD)', '50')
    await screen.click('Save draft')
    await expectReviewed(screen, '$50.00 a month')
    const budgets = [
      { usd: 0.000002, period: 'day' },
      { usd: 50, period: 'month' },
    ]
    expect(await readDraft()).toMatchObject({ budgets })
    await screen.expectAccessible()
    await screen.click('Deploy')
    await screen.waitForText('The draft is the same as what is live.')
    await screen.open(settingsPath)
    expect(await screen.valueOf('Daily budget (USD)')).toBe('0.000002')
    await screen.fill('Daily budget (USD)', '')
    await screen.click('Save draft')
    await screen.waitForText('1 change is not live')
    await screen.choose('Who gets a cached answer', '')
    await screen.click(routing)
    await screen.waitForText('2 changes are not live')
    expect(await readDraft()).toMatchObject({ cache: null, budgets: budgets.slice(1) })
  })
})

test('a model without a price under a budget is warned of on save, before the deploy and on the overview', async () => {
  await dashboard.visit(settingsPath, async screen => {
    await screen.waitForText('The draft is the same as what is live.')
    await screen.choose('Model', unpriced)
    await screen.click('Save draft')
    await screen.waitForText('1 change is not live')
    expect(await screen.text()).not.toContain('has no price')
    await screen.fill('Daily budget (USD)', '5')
    await screen.click('Save draft')
    await screen.waitForText(`Warning: ${unpriced} has no price, and a budget is in force`)
    await screen.click('Review')
    await screen.waitForText('After a deploy, requests are rejected: a model has no price')
    await screen.expectAccessible()
    await screen.click('Close')
    await screen.click('Deploy')
    await screen.waitForText('The draft is the same as what is live.')
    await screen.open(`/app/projects/${stage.projectId}`)
    await screen.waitForText('Requests are rejected: a model has no price')
    await screen.expectAccessible()
    await screen.click('Set the price', 'link')
    await screen.waitForText('No prices of your own')
    await dashboard.call('PUT', `/auth/v1/tenants/${stage.tenantId}/prices`, { model: unpriced, input: 1, output: 2 })
    await screen.open(`/app/projects/${stage.projectId}`)
    await screen.waitForText('Live configuration')
    expect(await screen.text()).not.toContain('a model has no price')
  })
})

test('the cost of a model without a price says so, wherever it is shown by model', async () => {
  const project = `/auth/v1/projects/${stage.projectId}`
  const { api_key: apiKey = '' } = await dashboard.call('POST', `${project}/api-keys`, { name: 'backend' })
  await put({ provider_model: unpriced })
  await dashboard.call('POST', `${project}/settings/deploy`)
  const ask = () => askAs(dashboard, { ...stage, apiKey, uid: 'ada', text: 'Hello' })
  // The gateway knows the deployed model within a second.
  await expect.poll(ask, { timeout: 30_000 }).toBe(200)
  await dashboard.visit(`/app/projects/${stage.projectId}/requests`, async screen => {
    await screen.waitForText('Price unknown')
    await screen.clickOn('section[aria-label=Requests] tbody a')
    await screen.waitForText('Timeline')
    await screen.waitForText('Price unknown')
    await screen.open(`/app/projects/${stage.projectId}`)
    await screen.waitForText('Top models')
    await screen.waitForText('Price unknown')
    // No total is a sum of nothing.
    const total = () =>
      screen.page.$$eval('main dl > div', all => all.find(one => one.textContent?.startsWith('Cost'))?.innerText)
    await expect.poll(total).toMatch(/^Cost\n(Price unknown|At least \$)/)
    await screen.open(`/app/projects/${stage.projectId}/usage?by=model`)
    await screen.waitForText('Price unknown')
    await expect.poll(total).toMatch(/^Cost\n(Price unknown|At least \$)/)
    await screen.open(`/app/tenants/${stage.tenantId}`)
    await expect.poll(total).toMatch(/^Cost\n(Price unknown|At least \$)/)
  })
})

test('what another browser saves shows unless it was edited here, and edits can be undone', async () => {
  await dashboard.visit(settingsPath, async screen => {
    await screen.waitForText('The draft is the same as what is live.')
    // In another order than the page writes it.
    await put({
      routes: { strategy: 'weighted', targets: [{ weight: 3, model: big }] },
      budgets: [
        { period: 'month', usd: 9 },
        { period: 'day', usd: 1 },
      ],
    })
    await screen.waitForText('2 changes are not live')
    await screen.page.waitForSelector('[name="routes.targets[0].weight"]')
    expect(await screen.valueOf('Weight of target 1')).toBe('3')
    expect(await screen.valueOf('Monthly budget (USD)')).toBe('9')
    expect(await screen.text()).not.toContain('Not saved')
    await screen.fill('Weight of target 1', '4')
    await screen.waitForText('Not saved: Routes and cache')
    await put({ cache: { ttl_seconds: 60 }, routes: { strategy: 'fallback', targets: [{ model: mini }] } })
    await screen.waitForText('Somebody else changed the draft: Routes.')
    await screen.waitForText('3 changes are not live')
    // Nobody edits the cache here.
    expect(await screen.valueOf('Cache lifetime (seconds)')).toBe('60')
    expect(await screen.valueOf('Weight of target 1')).toBe('4')
    await screen.click('Undo edits')
    await screen.page.waitForFunction(() => document.querySelector('[name="routes.targets[0].weight"]') === null)
    expect(await screen.valueOf('Model of target 1')).toBe(mini)
    expect(await screen.valueOf('Cache lifetime (seconds)')).toBe('60')
    expect(await screen.text()).not.toContain('Not saved')
  })
})

test('a tier overrides routes, cache and budgets with the same controls', async () => {
  await put({ budgets: [{ usd: 7, period: 'day' }] })
  await dashboard.visit(`/app/projects/${stage.projectId}/tiers/new`, async screen => {
    await screen.fill('Name', 'pro')
    for (const field of ['routes', 'cache', 'budgets']) {
      await screen.choose('Setting to override', field)
      await screen.click('Add override')
      await screen.page.waitForSelector(`[name^="${field}."]:focus`)
    }
    expect(await screen.valueOf('Daily budget (USD)')).toBe('7')
    await screen.fill('Daily budget (USD)', '')
    await screen.fill('Monthly budget (USD)', '0.5')
    await screen.choose('Which model gets a request', 'fallback')
    await screen.click('Create tier')
    await screen.waitForText('Model of target 1 must be a known model ID')
    await screen.choose('Model of target 1', mini)
    await screen.expectAccessible()
    await screen.click('Create tier')
    await screen.waitForText('The change of 1 tier is not live yet.')
    const routes = { targets: [{ model: mini }], strategy: 'fallback' }
    const tiers = await dashboard.call('GET', `/auth/v1/projects/${stage.projectId}/tiers`)
    const overrides = { routes, cache: null, budgets: [{ usd: 0.5, period: 'month' }] }
    expect(tiers).toMatchObject([{ overrides }])
    await screen.waitForText('Budgets in dollars: $0.50 a month')
    await screen.waitForText('Answer cache: No cache')
  })
})
