// What the product tells of itself after traffic that the test knows: every figure of /metrics, every span, and
// nothing of whose traffic it was, at the scraper's end and at the collector's.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  hello,
  oneConnection,
  openStage,
  platformKey,
  type Stage,
  type TestProject,
  tenantKey,
} from '../inference/inference-stage.ts'
import { errorResponse, openaiEvents, say } from '../support/simulated/provider-answers.ts'
import { type ScriptedUpstream, startUpstream } from '../support/simulated/scripted-upstream.ts'
import { roomFor } from '../support/slowness.ts'
import { processesOfProduct } from '../support/start-product.ts'
import { type CollectedSpan, spansOf } from './collected-spans.ts'
import { type Metrics, parseMetrics } from './parse-metrics.ts'

const patience = { timeout: 60_000, interval: 50 }
const metricsToken = 'metrics-token-of-the-tests'
const said = { text: ['Good ', 'day, ', 'words-of-the-answer'] }
/** One that is taken out of the registry once the product runs. */
const houseModel = 'openai/gpt-5.3-codex-spark'
const mail = 'grace.hopper@navy.example'

let stage: Stage
let collector: ScriptedUpstream
let project: TestProject

beforeAll(async () => {
  collector = await startUpstream()
  collector.on('*', { body: {} })
  stage = await openStage(
    'sqlite',
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_METRIC_EXPORT_INTERVAL: '300',
      METRICS_TOKEN: metricsToken,
      PLATFORM_DEFAULT_MODEL: houseModel,
      PLATFORM_OPENAI_API_KEY: platformKey,
    },
    { own: true },
  )
  project = await stage.makeProject({
    settings: { pii_mode: 'enforce', pii_entities: { EMAIL_ADDRESS: 'MASK' } },
  })
  stage.script(request => say('openai', said, request.body.includes('"stream":true')))
  await forgetHouseModel()
})

/** No start is possible with a default that the registry does not know; rows that are deleted by hand are. */
async function forgetHouseModel(): Promise<void> {
  await stage.harness.query('delete from models where id = ?', [houseModel])
  const raise = 'on conflict (name) do update set revision = revisions.revision + 1'
  await stage.harness.query(`insert into revisions (name, revision) values ('models', 1) ${raise}`)
  // What the tests count is another project's.
  const onlooker = await stage.makeProject()
  const listed = async () => (await onlooker.ask('GET', '/v1/models')).text
  await vi.waitFor(async () => expect(await listed()).not.toContain(houseModel), patience)
}

afterAll(async () => {
  await stage?.stop()
  await collector?.close()
})

/** Its requests before are counted once their answers are over, which their clients may learn first. */
async function readSettled(): Promise<Metrics> {
  // The scraper's own is open.
  await vi.waitFor(async () => expect((await readMetrics()).value('sallyport_open_requests')).toBe(1), patience)
  return await readMetrics()
}

async function readText(): Promise<string> {
  const answer = await fetch(`${stage.harness.baseUrl}/metrics`)
  expect(answer.status).toBe(200)
  return await answer.text()
}

const readMetrics = async (): Promise<Metrics> => parseMetrics(await readText())

/** By how much the series of these families rose, those that did not left out. */
function risen(before: Metrics, after: Metrics, families: readonly string[]): Record<string, number> {
  const names = [...after.samples.keys()].filter(series => families.includes(series.replace(/\{.*/, '')))
  const steps = names.map(series => [series, after.value(series) - before.value(series)] as const)
  return Object.fromEntries(steps.filter(([, step]) => step !== 0))
}

async function expectRise(before: Metrics, expected: Record<string, number>): Promise<void> {
  const families = [...new Set(Object.keys(expected).map(series => series.replace(/\{.*/, '')))]
  await vi.waitFor(async () => expect(risen(before, await readMetrics(), families)).toEqual(expected), patience)
}

/** What a gauge must be in every process. */
const inEach = (value: unknown): unknown[] => Array.from({ length: processesOfProduct }, () => value)

const spans = (): CollectedSpan[] => spansOf(collector.requests)

test('every request, refusal, try and token is counted, each where it belongs', async () => {
  const limited = await stage.makeProject({ settings: { rpm_limit: 1 } })
  const withoutModel = await stage.makeProject({ model: null })
  const before = await readSettled()
  for (let number = 0; number < 3; number++) expect((await project.complete()).status).toBe(200)
  for (let number = 0; number < 2; number++) await (await project.open()).ended
  expect((await limited.complete()).status).toBe(200)
  expect((await limited.complete()).status).toBe(429)
  expect((await project.complete({}, { token: 'no-token' })).status).toBe(401)
  expect((await project.complete({}, { body: '{"messages":' })).status).toBe(400)
  expect((await withoutModel.complete()).status).toBe(200)
  expect((await project.ask('GET', '/v1/models')).status).toBe(200)
  expect((await project.ask('GET', '/v1/no-such-route')).status).toBe(404)
  stage.script(() => errorResponse('openai', 500, 'broken'))
  expect((await project.complete()).status).toBe(502)
  let tries = 0
  stage.script(() => (tries++ === 0 ? errorResponse('openai', 503, 'busy') : say('openai', said, false)))
  expect((await project.complete()).status).toBe(200)
  stage.script(request => say('openai', said, request.body.includes('"stream":true')))

  await expectRise(before, {
    'sallyport_requests_total{route="completions",status="200"}': 8,
    'sallyport_requests_total{route="completions",status="400"}': 1,
    'sallyport_requests_total{route="completions",status="401"}': 1,
    'sallyport_requests_total{route="completions",status="429"}': 1,
    'sallyport_requests_total{route="completions",status="502"}': 1,
    'sallyport_requests_total{route="mint",status="200"}': 3,
    'sallyport_requests_total{route="models",status="200"}': 1,
    'sallyport_requests_total{route="unknown",status="404"}': 1,
    'sallyport_requests_total{route="probe",status="200"}': expect.any(Number),
    'sallyport_request_duration_seconds_count{route="completions"}': 12,
    'sallyport_request_duration_seconds_count{route="mint"}': 3,
    'sallyport_request_duration_seconds_count{route="models"}': 1,
    'sallyport_request_duration_seconds_count{route="unknown"}': 1,
    'sallyport_request_duration_seconds_count{route="probe"}': expect.any(Number),
    'sallyport_refusals_total{reason="rate_limited"}': 1,
    'sallyport_refusals_total{reason="invalid_token"}': 1,
    'sallyport_refusals_total{reason="invalid_json"}': 1,
    'sallyport_refusals_total{reason="provider_unavailable"}': 1,
    'sallyport_refusals_total{reason="not_found"}': 1,
    'sallyport_admissions_total{outcome="admitted"}': 10,
    'sallyport_admissions_total{outcome="project_requests"}': 1,
    'sallyport_provider_tries_total{provider="openai",outcome="complete"}': 8,
    'sallyport_provider_tries_total{provider="openai",outcome="server_error"}': 1,
    'sallyport_provider_tries_total{provider="openai",outcome="overloaded"}': 1,
    'sallyport_provider_duration_seconds_count{provider="openai",endpoint="chat_completions"}': 10,
    'sallyport_provider_first_token_seconds_count{provider="openai"}': 2,
    'sallyport_provider_inter_token_seconds_count{provider="openai"}': 2,
    'sallyport_tokens_total{provider="openai",direction="input",endpoint="chat_completions"}': 88,
    'sallyport_tokens_total{provider="openai",direction="output",endpoint="chat_completions"}': 56,
    'sallyport_answer_tokens_count{provider="openai",direction="input",endpoint="chat_completions"}': 8,
    'sallyport_answer_tokens_count{provider="openai",direction="output",endpoint="chat_completions"}': 8,
    'sallyport_usage_rows_total{outcome="written"}': 8,
  })
})

test('an open stream is seen while it is open', async () => {
  const chunks = openaiEvents(said)
  let go = () => undefined as undefined
  stage.script(() => ({
    async write(response) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunks[0])
      await new Promise<void>(resolve => {
        go = () => void resolve() as undefined
      })
      response.end(chunks.slice(1).join(''))
    },
  }))
  const opened = await project.open()
  const during = await readMetrics()
  expect(during.value('sallyport_open_streams')).toBe(1)
  // The scraper's own, too.
  expect(during.value('sallyport_open_requests')).toBe(2)
  go()
  await opened.ended
  await vi.waitFor(async () => expect((await readMetrics()).value('sallyport_open_streams')).toBe(0), patience)
  stage.script(request => say('openai', said, request.body.includes('"stream":true')))
})

test('what guardrails found is counted, a text that comes again as such', async () => {
  const before = await readSettled()
  const body = { messages: [{ role: 'user', content: `Write to ${mail} today` }] }
  // Each process has its own cache of verdicts.
  const agent = oneConnection()
  for (let number = 0; number < 2; number++) expect((await project.complete(body, { agent })).status).toBe(200)
  await expectRise(before, {
    'sallyport_guardrail_verdicts_total{guardrail="pii",direction="input",verdict="masked"}': 2,
    'sallyport_guardrail_duration_seconds_count{guardrail="pii",direction="input"}': 2,
    'sallyport_guardrail_verdicts_reused_total{guardrail="pii"}': expect.any(Number),
  })
})

test('the process, its parts, its jobs and what it goes by have gauges', async () => {
  const switchTo = (enabled: boolean) =>
    stage.harness.call('POST', '/v1/admin/killswitch/global', {
      adminSecret: stage.harness.adminSecret,
      body: { enabled },
    })
  const before = await readMetrics()
  const revision = Math.max(...before.gauges('sallyport_kill_switches_revision'))
  expect(before.gauges('sallyport_kill_switches_on{scope="global"}')).toEqual(inEach(0))
  expect((await switchTo(true)).status).toBe(200)
  await vi.waitFor(async () => {
    const now = await readMetrics()
    expect(now.gauges('sallyport_kill_switches_on{scope="global"}')).toEqual(inEach(1))
    expect(Math.min(...now.gauges('sallyport_kill_switches_revision'))).toBeGreaterThan(revision)
  }, patience)
  expect((await project.complete()).status).toBe(403)
  expect((await switchTo(false)).status).toBe(200)
  await vi.waitFor(
    async () => expect((await readMetrics()).gauges('sallyport_kill_switches_on{scope="global"}')).toEqual(inEach(0)),
    patience,
  )
  expect((await project.complete()).status).toBe(200)
  const { gauges, value } = await readMetrics()
  for (const part of ['database', 'store']) expect(gauges(`sallyport_up{part="${part}"}`)).toEqual(inEach(1))
  for (const role of ['api', 'gateway', 'inference'])
    expect(gauges(`sallyport_role{role="${role}"}`)).toEqual(inEach(1))
  // Jobs run in the first process only.
  expect(gauges('sallyport_role{role="worker"}')).toEqual([1])
  expect(value('sallyport_job_runs_total{job="sync-stores",outcome="done"}')).toBeGreaterThan(0)
  expect(Math.max(...gauges('sallyport_config_revision'))).toBeGreaterThan(0)
  expect(Math.min(...gauges('process_resident_memory_bytes'))).toBeGreaterThan(50e6)
  expect(value('sallyport_database_duration_seconds_count')).toBeGreaterThan(0)
  for (const series of [
    'nodejs_eventloop_delay_seconds{quantile="0.99"}',
    'sallyport_config_revision_age_seconds',
    'sallyport_job_last_done_age_seconds{job="sync-stores"}',
    'sallyport_store_duration_seconds_count{intention="admit"}',
  ]) {
    expect(gauges(series)).not.toEqual([])
  }
})

describe('traces', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const parentSpanId = '00f067aa0ba902b7'

  test("have the caller's trace, one span for the request and one for each try, and reach no provider", async () => {
    let tries = 0
    stage.script(() => (tries++ === 0 ? errorResponse('openai', 503, 'busy') : say('openai', said, true)))
    const headers = { traceparent: `00-${traceId}-${parentSpanId}-01`, tracestate: 'vendor=alice' }
    const answer = await project.complete({ stream: true }, { headers })
    expect(answer.status).toBe(200)
    stage.script(request => say('openai', said, request.body.includes('"stream":true')))
    const own = () => spans().filter(span => span.traceId === traceId)
    await vi.waitFor(() => expect(own()).toHaveLength(3), patience)
    const [failed, complete, server] = own().sort((one, other) => one.endedAt - other.endedAt)
    expect(server).toMatchObject({
      parentSpanId,
      name: 'POST /v1/chat/completions',
      kind: 2,
      isFailed: false,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v1/chat/completions',
        'http.response.status_code': 200,
      },
    })
    const always = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-4o-mini',
      'gen_ai.request.stream': true,
    }
    expect(failed).toMatchObject({ parentSpanId: server?.spanId, name: 'chat gpt-4o-mini', kind: 3, isFailed: true })
    expect(failed?.attributes).toEqual({ ...always, 'error.type': 'overloaded', 'http.response.status_code': 503 })
    expect(complete).toMatchObject({ parentSpanId: server?.spanId, name: 'chat gpt-4o-mini', kind: 3, isFailed: false })
    expect(complete?.attributes).toEqual({
      ...always,
      'http.response.status_code': 200,
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
      'gen_ai.usage.input_tokens': 11,
      'gen_ai.usage.output_tokens': 7,
    })
    for (const child of [failed, complete]) {
      expect(child?.startedAt).toBeGreaterThanOrEqual((server?.startedAt ?? 0) - 5)
      expect(child?.endedAt).toBeLessThanOrEqual((server?.endedAt ?? 0) + 5)
    }
    for (const { headers: sent } of stage.upstream.requests) {
      for (const name of ['traceparent', 'tracestate', 'baggage', 'b3']) expect(sent[name]).toBeUndefined()
    }
  })

  test('are not taken where the caller has decided so, and begin here where it sent nothing valid', async () => {
    const unsampled = 'b'.repeat(32)
    const invalid = { traceparent: `00-${'0'.repeat(32)}-${parentSpanId}-01` }
    await project.complete({}, { headers: { traceparent: `00-${unsampled}-${parentSpanId}-00` } })
    const known = new Set(spans().map(({ spanId }) => spanId))
    await project.complete({}, { headers: invalid })
    const servers = () => spans().filter(({ spanId, kind }) => !known.has(spanId) && kind === 2)
    await vi.waitFor(() => expect(servers().some(({ parentSpanId: parent }) => parent === null)).toBe(true), patience)
    for (const span of spans()) {
      expect(span.traceId).not.toBe(unsampled)
      expect(span.traceId).not.toMatch(/^0+$/)
    }
  })

  test('name no model that the registry does not know', async () => {
    const house = await stage.makeProject({ model: null })
    const traceparent = `00-${'d'.repeat(32)}-${parentSpanId}-01`
    expect((await house.complete({}, { headers: { traceparent } })).status).toBe(200)
    const tries = () => spans().filter(span => span.traceId === 'd'.repeat(32) && span.kind === 3)
    await vi.waitFor(() => expect(tries()).toHaveLength(1), patience)
    expect(tries()[0]?.name).toBe('chat')
    expect(Object.keys(tries()[0]?.attributes ?? {})).not.toContain('gen_ai.request.model')
  })

  test('say why a request was refused', async () => {
    const refused = 'c'.repeat(32)
    const headers = { traceparent: `00-${refused}-${parentSpanId}-01` }
    await project.complete({}, { token: 'no-token', headers })
    const own = () => spans().filter(span => span.traceId === refused)
    await vi.waitFor(() => expect(own()).toHaveLength(1), patience)
    expect(own()[0]).toMatchObject({
      kind: 2,
      isFailed: false,
      attributes: { 'http.response.status_code': 401, 'error.type': 'invalid_token' },
    })
  })
})

test('no client makes a series: hostile routes, hosts, methods and models', async () => {
  const hostile = (number: number) => `evil-${number}-${'x'.repeat(40)}"} 1`
  const ask = async (number: number) => {
    const name = encodeURIComponent(hostile(number))
    await project.ask('GET', `/v1/${name}`)
    await project.ask('GET', `/metrics`)
    await project.ask('DELETE', `/v1/threads/${name}`)
    await project.complete({ model: `openai/${hostile(number)}` })
    await project.complete({ model: hostile(number) })
    await project.ask('GET', '/v1/models', { headers: { host: `evil-${number}.localhost` } })
    await fetch(`${stage.harness.baseUrl}/auth/v1/tenants/${name}`)
    await fetch(`${stage.harness.baseUrl}/${name}`, { headers: { authorization: `Bearer ${name}` } })
  }
  for (let number = 0; number < 3; number++) await ask(number)
  // What the product itself tells of more and more of: jobs that ran, intentions that were used, collections of
  // garbage.
  const ofRequests = ({ samples }: Metrics) =>
    [...samples.keys()]
      .filter(series => /^sallyport_(requests|request_d|refusals|provider|tokens|answer|admissions)/.test(series))
      .toSorted()
  const before = ofRequests(await readSettled())
  for (let number = 3; number < 23; number++) await ask(number)
  expect(ofRequests(await readSettled())).toEqual(before)
  expect((await readText()).includes('evil')).toBe(false)
})

test('nothing of tenants, people, contents or secrets is in any of it', async () => {
  await project.complete({ messages: [{ role: 'user', content: `my card is 4111 1111 1111 1111, ${mail}` }] })
  const token = await project.mint()
  await new Promise(resolve => setTimeout(resolve, 1_000))
  const exported = () => collector.requests.map(({ path, body }) => `${path} ${body}`).join('\n')
  await vi.waitFor(() => expect(exported()).toContain('gen_ai.client.token.usage'), patience)
  await vi.waitFor(() => expect(exported()).toContain('/v1/chat/completions'), patience)
  const told = (await readText()) + exported()
  const secrets = {
    tenant: project.tenantId,
    project: project.id,
    slug: project.slug,
    user: 'alice',
    owner: stage.harness.owner.email,
    'id of the owner': stage.harness.owner.id,
    session: stage.harness.owner.session,
    token,
    'signature of a token': token.slice(-40),
    'key of the tenant': tenantKey,
    'key of the platform': platformKey,
    'admin secret': stage.harness.adminSecret,
    'metrics token': metricsToken,
    prompt: hello.messages[0]?.content ?? '',
    answer: 'words-of-the-answer',
    mail,
    card: '4111 1111',
    'address of the provider': stage.upstream.host,
    'model of a client': 'evil',
    'model of the house': 'codex-spark',
    'host of a client': `${project.slug}.localhost`,
  }
  for (const [name, secret] of Object.entries(secrets)) {
    expect(secret.length, name).toBeGreaterThan(3)
    expect(told.includes(secret), `${name} is told`).toBe(false)
  }
})

test('a collector that is gone hurts nobody', async () => {
  collector.on('*', { hangUp: true })
  const before = await readSettled()
  for (let number = 0; number < 10; number++) expect((await project.complete()).status).toBe(200)
  await expectRise(before, { 'sallyport_provider_tries_total{provider="openai",outcome="complete"}': 10 })
  await vi.waitFor(
    () => expect(stage.harness.product.stderr()).toContain('telemetry export failed, check the OTLP collector'),
    patience,
  )
  const waiting = (await readMetrics()).gauges('sallyport_spans_waiting')
  expect(waiting.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(20)
  // Whoever stops it does not wait for the collector either.
  const stoppedAt = performance.now()
  expect(await stage.harness.product.stop()).toBe(0)
  expect(performance.now() - stoppedAt).toBeLessThan(roomFor(15_000))
})
