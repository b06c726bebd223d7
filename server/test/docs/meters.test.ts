// docs/meters.md: its settings are accepted, its example has the fields of real events, and its receiver passes on to
// Lago what is signed and nothing else.
import { expect, onTestFinished, test } from 'vitest'
import { startManagement } from '../support/management-harness.ts'
import { findFreePort, startProcess } from '../support/server-process.ts'
import { type Received, startReceiver } from '../worker/webhooks/deliver-webhooks-stage.ts'
import { fencesOf } from './runners.ts'

const fences = fencesOf('docs/meters.test.ts')
const [settings = '', example = ''] = fences.filter(({ language }) => language === 'json').map(({ code }) => code)
const relay = fences.find(({ language }) => language === 'js')?.code ?? ''

interface LagoEvent {
  transaction_id: string
  external_subscription_id: string
  code: string
  timestamp: number
  properties: Record<string, unknown>
}

const lagoEvents = ({ body }: Received) => (JSON.parse(body) as { events: LagoEvent[] }).events

/** As the example shows it. */
const usageOf = (tenantId: string, projectId: string) => ({
  request_id: crypto.randomUUID(),
  tenant_id: tenantId,
  project_id: projectId,
  user_id: 'user-1',
  day: '2026-11-29',
  model: 'openai/gpt-4o-mini',
  provider: 'openai',
  endpoint: 'chat_completions',
  prompt_tokens: 20,
  completion_tokens: 15,
  total_tokens: 35,
  cached_tokens: 0,
  reasoning_tokens: 0,
  cost_nanousd: 12_500,
  is_estimated: 0,
  created_at: Date.now(),
})

test('the settings are accepted; the receiver passes usage on to Lago, and nothing that is not signed', async () => {
  const plane = await startManagement('sqlite', { env: { OUTBOUND_ALLOW: '127.0.0.1' } })
  onTestFinished(() => plane.stop())
  const lago = await startReceiver()
  const port = await findFreePort()
  const { session } = plane.owner
  const tenant = await plane.makeTenant({ plan: 'pro' })
  const path = `/auth/v1/tenants/${tenant.id}/meter`
  const url = `http://127.0.0.1:${port}/`
  const documented = { ...JSON.parse(settings), url }
  expect((await plane.call('PUT', path, { session, body: documented })).status).toBe(200)
  const body = { ...documented, value: 'requests', secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` }
  expect((await plane.call('PUT', path, { session, body })).status).toBe(200)
  const process_ = await startProcess({
    command: process.execPath,
    args: ['--input-type=module', '-e', relay],
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      METER_SECRET: body.secret,
      LAGO_URL: lago.url(''),
      LAGO_API_KEY: 'key',
    },
  })
  onTestFinished(async () => void (await process_.end('SIGTERM')))
  const post = (sent: string) =>
    fetch(url, { method: 'POST', body: sent }).then(
      ({ status }) => status,
      () => 0,
    )
  await expect.poll(() => post(example)).toBe(401)
  const tried = await plane.call('POST', `${path}/test`, { session })
  expect(tried.body).toEqual({ delivered: true, status: null, reason: null })
  expect(lago.received).toEqual([])

  const project = await plane.makeProject(tenant.id)
  const [shown] = JSON.parse(example) as [{ data: object }]
  const row = usageOf(tenant.id, project.id)
  const names = Object.keys(row)
  const marks = names.map(() => '?').join(', ')
  await plane.query(`insert into usage_records (${names.join(', ')}) values (${marks})`, Object.values(row))
  await expect.poll(() => lago.received.length, { timeout: 60_000 }).toBe(1)
  const [passedOn] = lago.received as [Received]
  expect(passedOn.path).toBe('/api/v1/events/batch')
  expect(passedOn.headers.authorization).toBe('Bearer key')
  expect(lagoEvents(passedOn)).toEqual([
    {
      transaction_id: row.request_id,
      external_subscription_id: 'user-1',
      code: 'sallyport_usage',
      timestamp: row.created_at / 1000,
      properties: { ...shown.data, value: '1', tier: null, project_id: project.id },
    },
  ])
})
