// The playground: draft and deployed answer side by side, with tokens, cost and what the guardrails did; a run can be
// stopped.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SimulatedProvider, startSimulatedProvider } from '../../../../server/src/demo/simulated-provider.ts'
import { errorResponse } from '../../../../server/test/support/simulated/provider-answers.ts'
import { type ScriptedUpstream, startUpstream } from '../../../../server/test/support/simulated/scripted-upstream.ts'
import { type Dashboard, hostileTexts, type Screen, startDashboard } from '../../support/dashboard.ts'
import { adminSecret, createStage, createViewer, type Stage } from '../../support/stage.ts'

let provider: SimulatedProvider
/** Accepts a key, and fails each completion. */
let failing: ScriptedUpstream
let dashboard: Dashboard
let stage: Stage
beforeAll(async () => {
  provider = await startSimulatedProvider()
  failing = await startUpstream()
  failing.on('GET /v1/models', { body: { object: 'list', data: [] } })
  failing.on('*', errorResponse('openai', 503, 'Down'))
  dashboard = await startDashboard({
    ADMIN_SECRET: adminSecret,
    OPENAI_BASE_URL: provider.baseUrl,
    MISTRAL_BASE_URL: `${failing.url}/v1`,
    SYNC_INTERVAL: '1',
  })
  stage = await createStage(dashboard)
  const { tenantId, projectId } = stage
  const { call } = dashboard
  await call('PUT', `/auth/v1/tenants/${tenantId}/providers/openai`, { api_key: 'sk-a-key-that-is-long-enough' })
  const settings = `/auth/v1/projects/${projectId}/settings`
  await call('PUT', `${settings}/model`, { provider_model: 'openai/gpt-4.1-mini' })
  await call('PUT', `${settings}/model/draft`, { provider_model: 'openai/gpt-4o-mini' })
  await call('PUT', settings, { pii_mode: 'enforce', pii_entities: { EMAIL_ADDRESS: 'MASK' } })
})
afterAll(async () => {
  await dashboard?.stop()
  await provider?.close()
  await failing?.close()
})

const columnOf = (screen: Screen, title: string): Promise<string> =>
  screen.page.$$eval(
    'main section[aria-labelledby]',
    (all, wanted) =>
      (all.find(one => one.querySelector('h2')?.textContent === wanted) as HTMLElement | undefined)?.innerText ?? '',
    title,
  )

/** Until no run is in progress and every column has ended. */
const waitForEnd = (screen: Screen) =>
  screen.page.waitForFunction(() =>
    [...document.querySelectorAll('main section[aria-labelledby]')].every(
      one => one instanceof HTMLElement && /(Answered|Failed|Stopped)\./.test(one.innerText),
    ),
  )

test('draft and deployed answer side by side, with tokens, cost and the guardrails’ detections', async () => {
  await dashboard.visit(`/app/projects/${stage.projectId}/playground`, async screen => {
    await screen.waitForText('openai/gpt-4.1-mini')
    await screen.expectAccessible()
    await screen.fill('Message', 'Write to ada@example.com')
    await screen.click('Run')
    await waitForEnd(screen)
    await screen.waitForText('Personal data: Email address (1 match) Masked')
    const [draft, deployed] = [await columnOf(screen, 'Draft'), await columnOf(screen, 'Deployed')]
    for (const column of [draft, deployed]) {
      expect(column).toContain('You said: “Write to ada@example.com”')
      expect(column).toMatch(/\d+ prompt and \d+ answer tokens, about \$0\.0000\d+ at the price of the model/)
    }
    expect(draft).toContain('Personal data: Email address')
    expect(deployed).not.toContain('Personal data')
    expect(provider.received.count).toBe(2)
    const { data } = await dashboard.call<{ data: { model: string; requests: number }[] }>(
      'GET',
      `/auth/v1/projects/${stage.projectId}/usage?group_by=model`,
    )
    expect(data.map(({ model, requests }) => `${model} ${requests}`)).toEqual([
      'openai/gpt-4.1-mini 1',
      'openai/gpt-4o-mini 1',
    ])
    await screen.expectAccessible()

    await screen.choose('Run with', 'draft')
    for (const hostile of hostileTexts.slice(1, 3)) {
      await screen.fill('Message', hostile)
      await screen.click('Run')
      await screen.waitForText(`You said: “${hostile}”`)
      await waitForEnd(screen)
    }
    await screen.fill('Message', 'Count to 1000')
    await screen.click('Run')
    await screen.waitForText('(simulated answer) 1 2')
    await screen.click('Stop')
    await screen.waitForText('Stopped.')
    expect(await columnOf(screen, 'Draft')).not.toContain(' 999 ')
    expect(provider.received.latestText).toBe('Count to 1000')
  })
})

test('with routes it shows which model answered after how many calls, and with the cache that it answered', async () => {
  const { call } = dashboard
  const settings = `/auth/v1/projects/${stage.projectId}/settings`
  const [down, answering] = ['mistral/mistral-large-latest', 'openai/gpt-4.1']
  await call('PUT', `/auth/v1/tenants/${stage.tenantId}/providers/mistral`, { api_key: 'mistral0123456789abcdef0' })
  // More than the column's own model costs.
  await call('PUT', `/auth/v1/tenants/${stage.tenantId}/prices`, { model: answering, input: 1000, output: 1000 })
  const routes = { strategy: 'fallback', targets: [{ model: down }, { model: answering }], retry: { attempts: 0 } }
  await call('PUT', settings, { routes, cache: { ttl_seconds: 3600 }, pii_mode: 'disabled' })
  await dashboard.visit(`/app/projects/${stage.projectId}/playground`, async screen => {
    await screen.waitForText('openai/gpt-4.1-mini')
    await screen.fill('Message', 'Which one?')
    await screen.click('Run')
    await waitForEnd(screen)
    const [draft, deployed] = [await columnOf(screen, 'Draft'), await columnOf(screen, 'Deployed')]
    expect(draft).toContain(`Answered by ${answering}, after 2 calls to providers.`)
    expect(draft).toContain('You said: “Which one?”')
    const [, prompt = '', answer = '', cost = ''] =
      /(\d+) prompt and (\d+) answer tokens, about \$([\d.]+) at the price of the model/.exec(draft) ?? []
    expect(Number(cost)).toBeCloseTo((Number(prompt) + Number(answer)) / 1000, 6)
    expect(deployed).not.toContain('Answered by')
    await screen.expectAccessible()

    await call('PUT', settings, { routes: null })
    const before = provider.received.count
    await screen.choose('Run with', 'draft')
    await screen.fill('Message', 'Again?')
    await screen.click('Let the cache answer, if the settings switch it on', 'checkbox')
    await screen.click('Run')
    await screen.waitForText('The cache had no answer to this message.')
    expect(provider.received.count).toBe(before + 1)
    await screen.click('Run')
    await screen.waitForText('The answer came from the cache: no provider was called, and it cost nothing.')
    const cached = await columnOf(screen, 'Draft')
    expect(cached).toContain('You said: “Again?”')
    expect(cached).not.toContain('answer tokens')
    expect(provider.received.count).toBe(before + 1)

    // A failed run shows the number of calls, too.
    await call('PUT', settings, { routes: { ...routes, targets: [{ model: down }] }, cache: null })
    await screen.click('Run')
    await screen.waitForText(`The last target was ${down}, after 1 call to a provider.`)
  })
})

test('tries the draft with the live model without a draft model, shows a provider’s failure, and lets no viewer run anything', async () => {
  const path = `/app/projects/${stage.projectId}/playground`
  await dashboard.call('DELETE', `/auth/v1/projects/${stage.projectId}/settings/model/draft`)
  await provider.close()
  await dashboard.visit(path, async screen => {
    await screen.waitForText('openai/gpt-4.1-mini')
    await screen.choose('Run with', 'both')
    await screen.waitForText('the draft has no other model.')
    await screen.click('Run')
    await waitForEnd(screen)
    expect(await columnOf(screen, 'Draft')).toMatch(/provider/i)
    expect(await columnOf(screen, 'Deployed')).toMatch(/provider/i)
  })
  const viewer = await createViewer(dashboard, stage.tenantId)
  await dashboard.visit(
    path,
    async screen => {
      await screen.waitForText('Ask an owner of the tenant for a role that does')
      expect(await screen.page.$$('main button')).toEqual([])
    },
    viewer,
  )
})
