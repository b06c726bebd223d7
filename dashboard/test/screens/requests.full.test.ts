// Requests: the list follows its filters, which are in the address, and one request shows its timeline; alerts on them.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { errorResponse, say } from '../../../server/test/support/simulated/provider-answers.ts'
import { type ScriptedUpstream, startUpstream } from '../../../server/test/support/simulated/scripted-upstream.ts'
import { type Dashboard, startDashboard } from '../support/dashboard.ts'
import { adminSecret, askAs, createStage, type Stage } from '../support/stage.ts'

const completions = 'POST /v1/chat/completions'

let provider: ScriptedUpstream
let dashboard: Dashboard
let stage: Stage
let apiKey: string
beforeAll(async () => {
  provider = await startUpstream()
  dashboard = await startDashboard({
    ADMIN_SECRET: adminSecret,
    OPENAI_BASE_URL: provider.url,
    PLATFORM_OPENAI_API_KEY: 'sk-a-key-of-this-test',
    PLATFORM_DEFAULT_MODEL: 'openai/gpt-4o-mini',
  })
  stage = await createStage(dashboard)
  const created = await dashboard.call('POST', `/auth/v1/projects/${stage.projectId}/api-keys`, { name: 'backend' })
  apiKey = created['api_key'] ?? ''
})
afterAll(async () => {
  await dashboard?.stop()
  await provider?.close()
})

const ask = (uid: string) => askAs(dashboard, { ...stage, apiKey, uid, text: 'Hello' })

test('requests appear by themselves, and lead to what happened to each', async () => {
  await dashboard.visit(`/app/projects/${stage.projectId}/requests`, async screen => {
    await screen.waitForText('No requests yet')
    await screen.expectAccessible()
    provider.on(completions, say('openai', { text: ['Hel', 'lo'] }, false))
    await ask('ada')
    provider.on(completions, errorResponse('openai', 500, 'broken'))
    await ask('grace')
    await screen.waitForText('ada')
    await screen.waitForText('502 provider_unavailable')
    await screen.expectAccessible()
  })
  await dashboard.visit(`/app/projects/${stage.projectId}/requests?status=5xx`, async screen => {
    await screen.waitForText('grace')
    await screen.page.click('main table a')
    await screen.waitForText('Timeline')
    await screen.waitForText('server_error')
    await screen.expectAccessible()
  })
  const settings = `/auth/v1/projects/${stage.projectId}/settings`
  await dashboard.call('PUT', settings, { rpm_limit: 900 })
  await dashboard.call('POST', `${settings}/deploy`)
  await dashboard.visit(`/app/projects/${stage.projectId}/requests/compare`, async screen => {
    await screen.waitForText('Judged negative')
    await screen.waitForText('New')
    await screen.expectAccessible()
    await screen.choose('Deployment', '1')
    await screen.waitForText('Before and after')
    await screen.expectAccessible()
  })
})

test('an alert is added, and deleted', async () => {
  await dashboard.visit(`/app/projects/${stage.projectId}/alerts`, async screen => {
    await screen.waitForText('No alerts')
    await screen.fill('Name', 'Many errors')
    await screen.fill('Above (from 0 to 1)', '0.05')
    await screen.fill('Tier', 'team')
    await screen.click('Add alert')
    await screen.waitForText('Share of errors above 5')
    await screen.waitForText('Quiet')
    await screen.expectAccessible()
    await screen.click('Delete the alert Many errors')
    await screen.page.locator('dialog button[type=submit]').click()
    await screen.waitForText('No alerts')
  })
  expect(await dashboard.call('GET', `/auth/v1/projects/${stage.projectId}/alerts`)).toEqual({ alerts: [] })
})
