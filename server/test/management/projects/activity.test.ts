// The activity of a project over the wire, through the whole product: what each kind of request counts as, and that no
// other project's is shown.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ssn, user } from '../../inference/guard/guard-stage.ts'
import { openStage, type Stage, type TestProject } from '../../inference/inference-stage.ts'
import { describeEachBackend } from '../../support/management-harness.ts'
import { errorResponse, openaiEvents, say } from '../../support/simulated/provider-answers.ts'

interface Figures {
  requests: number
  errors: Record<string, number>
  refusals: Record<string, number>
  tokens: number
  latency_ms: { p50: number; p95: number } | null
}
interface Activity {
  totals: Figures
  minutes: ({ starts_at: string } & Figures)[]
}

const nothing = { requests: 0, errors: {}, refusals: {}, tokens: 0, latency_ms: null }

describeEachBackend('the activity of a project', (_start, backend) => {
  let stage: Stage
  let tenantId: string
  beforeAll(async () => {
    stage = await openStage(backend)
    tenantId = (await stage.makeProject()).tenantId
  })
  afterAll(() => stage.stop())

  const call = ({ id }: TestProject, session = stage.harness.owner.session) =>
    stage.harness.call('GET', `/auth/v1/projects/${id}/activity`, { session })
  const read = async (project: TestProject): Promise<Activity> => {
    const answer = await call(project)
    expect(answer.status, answer.text).toBe(200)
    return answer.body as Activity
  }
  const makeProject = (settings: Record<string, unknown> = {}) => stage.makeProject({ tenantId, settings })
  /** Once all of them are counted. */
  const readOf = async (project: TestProject, requests: number): Promise<Activity> => {
    await expect.poll(async () => (await read(project)).totals.requests).toBe(requests)
    return await read(project)
  }

  test('nothing at first: sixty minutes, the last one the current one', async () => {
    const { totals, minutes } = await read(await makeProject())
    expect(totals).toEqual(nothing)
    expect(minutes).toHaveLength(60)
    const starts = minutes.map(({ starts_at }) => Date.parse(starts_at))
    expect(starts).toEqual(starts.map((_start, at) => (starts[0] ?? 0) + at * 60_000))
    expect(Math.abs(Date.now() - (starts.at(-1) ?? 0))).toBeLessThan(120_000)
    for (const { starts_at: _, ...figures } of minutes) expect(figures).toEqual(nothing)
  })

  test('answers: requests, tokens and latency, whole and streamed; requests without a model have no latency', async () => {
    const project = await makeProject()
    stage.script(({ body }) => say('openai', { text: ['Hel', 'lo'] }, JSON.parse(body).stream === true))
    await project.complete()
    expect(await (await project.open()).ended).toBe(true)
    const { totals, minutes } = await readOf(project, 2)
    expect(totals).toMatchObject({ errors: {}, refusals: {}, tokens: 36 })
    expect(totals.latency_ms?.p95).toBeGreaterThanOrEqual(totals.latency_ms?.p50 ?? Number.NaN)
    const busy = minutes.filter(({ requests }) => requests > 0)
    expect(busy.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(36)
    for (const minute of busy) expect(minute.latency_ms).not.toBeNull()
    const other = await makeProject()
    expect((await other.ask('GET', '/v1/models')).status).toBe(200)
    // A preflight is no request of the application.
    await other.ask('OPTIONS', '/v1/models', {
      headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' },
    })
    expect((await other.ask('GET', '/v1/models')).status).toBe(200)
    expect((await readOf(other, 2)).totals).toEqual({ ...nothing, requests: 2 })
  })

  test('errors and refusals by reason, a stream that breaks off among them', async () => {
    const project = await makeProject({ pii_mode: 'enforce', pii_entities: { US_SSN: 'BLOCK' } })
    expect((await project.complete(user(`SSN ${ssn}`))).status).toBe(403)
    expect((await project.complete({}, { token: 'a.b.c' })).status).toBe(401)
    expect((await project.ask('GET', '/v1/threads/none')).status).toBe(404)
    expect((await project.ask('GET', '/v1/nothing')).status).toBe(404)
    stage.script(errorResponse('openai', 500, 'no'))
    expect((await project.complete()).status).toBe(502)
    const head = openaiEvents({ text: ['Hel', 'lo'] }).slice(0, 2)
    stage.script({ headers: { 'content-type': 'text/event-stream' }, body: head.join('') })
    const stream = await project.open()
    await stream.ended
    expect(stream.status).toBe(200)
    const { totals } = await readOf(project, 6)
    expect(totals).toMatchObject({
      errors: { provider_unavailable: 2 },
      refusals: { pii_blocked: 1, invalid_token: 1, thread_not_found: 1, not_found: 1 },
      latency_ms: null,
    })
  })

  test('a rate limit; nothing of another project, and nothing for strangers', async () => {
    const project = await makeProject({ rpm_limit: 1 })
    stage.script(say('openai', { text: ['Hello'] }, false))
    for (const status of [200, 429, 429]) expect((await project.complete()).status).toBe(status)
    expect((await readOf(project, 3)).totals).toMatchObject({ errors: {}, refusals: { rate_limited: 2 }, tokens: 18 })
    expect((await read(await makeProject())).totals).toEqual(nothing)
    const stranger = await stage.harness.makePerson()
    expect((await call(project, stranger.session)).status).toBe(403)
    const viewer = await stage.harness.makePerson({ tenantId, role: 'viewer' })
    expect((await call(project, viewer.session)).status).toBe(200)
  })
})
