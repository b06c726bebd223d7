// The request log over the wire, through the whole product: what each kind of request leaves, its timeline, filters,
// pages and sums, and that nobody else sees it.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ssn, user } from '../../inference/guard/guard-stage.ts'
import { openStage, type Stage, type TestProject } from '../../inference/inference-stage.ts'
import { describeEachBackend } from '../../support/management-harness.ts'
import { errorResponse, say } from '../../support/simulated/provider-answers.ts'
import { expectOk } from '../requests.ts'

interface Row {
  id: string
  uid: string | null
  endpoint: string | null
  status: number
  error: string | null
  model: string | null
  tokens: { prompt: number; completion: number }
  guardrails: { type: string; action: string }[]
}
interface Page {
  data: Row[]
  next_cursor: string | null
}

describeEachBackend('the request log', (_start, backend) => {
  let stage: Stage
  let tenantId: string
  beforeAll(async () => {
    stage = await openStage(backend)
    tenantId = (await stage.makeProject()).tenantId
  })
  afterAll(() => stage.stop())

  const makeProject = (settings: Record<string, unknown> = {}) => stage.makeProject({ tenantId, settings })
  const call = ({ id }: TestProject, query = '', session = stage.harness.owner.session) =>
    stage.harness.call('GET', `/auth/v1/projects/${id}/requests${query}`, { session })
  const list = async (project: TestProject, query = '') => expectOk<Page>(await call(project, query))
  /** Once all of them are written. */
  const listOf = async (project: TestProject, count: number, query = ''): Promise<Row[]> => {
    await expect.poll(async () => (await list(project, query)).data.length).toBe(count)
    return (await list(project, query)).data
  }

  test('an answer has a row with its model, tokens and times, and a timeline', async () => {
    const project = await makeProject()
    stage.script(({ body }) => say('openai', { text: ['Hel', 'lo'] }, JSON.parse(body).stream === true))
    const answer = await project.complete()
    expect(await (await project.open()).ended).toBe(true)
    const [stream, whole] = await listOf(project, 2)
    expect(whole).toMatchObject({
      id: answer.headers['x-request-id'],
      endpoint: 'chat_completions',
      stream: false,
      status: 200,
      error: null,
      model: answer.headers['x-sallyport-model'],
      provider: 'openai',
      finish_reason: 'stop',
      attempts: 1,
      first_token_ms: null,
      cache: null,
      tokens: { prompt: expect.any(Number), completion: expect.any(Number) },
      playground: false,
      feedback: null,
    })
    expect(whole?.tokens.prompt).toBeGreaterThan(0)
    expect(stream).toMatchObject({ stream: true, first_token_ms: expect.any(Number) })
    const stats = expectOk<{ totals: unknown }>(await call(project, '/stats'))
    expect(stats.totals).toMatchObject({ requests: 2, first_token_ms: { p50: expect.any(Number) } })
    const one = expectOk<{ timeline: { name: string }[] }>(await call(project, `/${stream?.id}`))
    expect(one.timeline.map(({ name }) => name)).toEqual(['body', 'admission', 'attempt', 'first_token', 'end'])
    expect((await call(project, `/${crypto.randomUUID()}`)).status).toBe(404)
    expect((await call(await makeProject(), `/${stream?.id}`)).status).toBe(404)
    const { session } = stage.harness.owner
    const exported = await stage.harness.call('GET', `/auth/v1/tenants/${tenantId}/export`, { session })
    const lines = exported.text.split('\n').filter(line => line.startsWith('{"type":"request",'))
    const ids = lines.filter(line => line.includes(project.id)).map(line => JSON.parse(line).data.id)
    expect(ids).toEqual([stream?.id, whole?.id])
  })

  test('refusals, failures and what a guardrail did are found by their filters', async () => {
    const project = await makeProject({ pii_mode: 'enforce', pii_entities: { US_SSN: 'BLOCK' } })
    await project.complete(user(`SSN ${ssn}`))
    await project.complete({}, { token: 'a.b.c' })
    stage.script(errorResponse('openai', 500, 'no'))
    await project.complete()
    await listOf(project, 3)
    const [blocked] = await listOf(project, 1, '?guardrail=blocked')
    expect(blocked).toMatchObject({ status: 403, error: 'pii_blocked', guardrails: [{ action: 'blocked' }] })
    expect(await listOf(project, 1, '?error=invalid_token')).toMatchObject([{ uid: null, status: 401 }])
    const [failed] = await listOf(project, 1, '?status=5xx')
    const { timeline } = expectOk<{ timeline: { name: string; detail: unknown }[] }>(
      await call(project, `/${failed?.id}`),
    )
    expect(timeline.find(({ name }) => name === 'attempt')?.detail).toMatchObject({ error: 'server_error' })
    expect(JSON.stringify(timeline)).not.toContain(ssn)
    const stats = expectOk<{ totals: unknown }>(await call(project, '/stats?by=minute'))
    expect(stats.totals).toMatchObject({ requests: 3, errors: 3 })
    const groups = expectOk<{ data: { value: string | null; requests: number }[] }>(
      await call(project, '/groups?by=error&order=errors&status=4xx'),
    )
    expect(groups).toMatchObject({ others: null, totals: { requests: 2, errors: 2 }, complete_from: null })
    expect(groups.data.map(({ value, requests }) => [value, requests])).toEqual([
      ['invalid_token', 1],
      ['pii_blocked', 1],
    ])
  })

  test('the session of a coding agent and its agents are found, counted and exported', async () => {
    const project = await makeProject()
    stage.script(({ body }) => say('openai', { text: ['Hi'] }, JSON.parse(body).stream === true))
    const session = { 'x-claude-code-session-id': 'cc-1' }
    const send = (headers: Record<string, string>) =>
      project.ask('POST', '/v1/chat/completions', {
        body: { messages: [{ role: 'user', content: 'Hello' }] },
        headers,
      })
    await send(session)
    await send({ ...session, 'x-claude-code-agent-id': 'agent-1' })
    await project.complete()
    expect(await listOf(project, 3)).toMatchObject([
      { agent_session_id: null, agent_id: null },
      { agent_session_id: 'cc-1', agent_id: 'agent-1' },
      { agent_session_id: 'cc-1', agent_id: null },
    ])
    expect(await list(project, '?agent_session=cc-1')).toMatchObject({ data: [{}, {}] })
    expect(await list(project, '?agent=agent-1')).toMatchObject({ data: [{ agent_id: 'agent-1' }] })
    expect(await list(project, '?agent_session=cc-2')).toMatchObject({ data: [] })
    const groups = expectOk<{ data: object[] }>(await call(project, '/groups?by=agent_session'))
    expect(groups.data).toEqual([
      expect.objectContaining({ value: 'cc-1', requests: 2 }),
      expect.objectContaining({ value: null, requests: 1 }),
    ])
    const { text } = await call(project, '/export?format=csv&agent=agent-1')
    expect(text.trimEnd().split('\n').at(-1)?.trim()).toMatch(/,cc-1,agent-1,,,,,$/)
  })

  test('pages, wrong filters, and nothing for strangers or without the log', async () => {
    const project = await makeProject()
    for (let at = 0; at < 3; at++) await project.ask('GET', '/v1/models')
    const all = await listOf(project, 3)
    const first = await list(project, '?limit=2')
    const rest = await list(project, `?limit=2&cursor=${first.next_cursor}`)
    expect([...first.data, ...rest.data]).toEqual(all)
    for (const query of ['?from=x', '?status=9', '?guardrail=x', '?feedback=x', '?q=X', '?min_cost_usd=-1']) {
      expect((await call(project, query)).status, query).toBe(400)
    }
    const reversed = '?from=2026-05-02T12:30:00Z&to=2026-05-02T12:29:00Z'
    for (const [query, error] of [
      ['?error=', 'error must be 1-512 characters'],
      [`?uid=${'u'.repeat(513)}`, 'uid must be 1-512 characters'],
      [reversed, 'from must not be after to'],
    ]) {
      for (const path of ['', '/stats', '/groups', '/export', '/live']) {
        expect((await call(project, `${path}${query}`)).body, path).toMatchObject({ error })
      }
    }
    for (const query of ['by=at', 'order=at', 'limit=0', 'limit=51', 'limit=x', 'status=9']) {
      expect((await call(project, `/groups?${query}`)).status, query).toBe(400)
    }
    expect((await call(project, '/groups', (await stage.harness.makePerson()).session)).status).toBe(403)
    const off = await makeProject({ request_log: 'off' })
    await off.ask('GET', '/v1/models')
    await project.ask('GET', '/v1/models')
    await listOf(project, 4)
    expect(await list(off)).toEqual({ data: [], next_cursor: null })
    expect((await call(project, '', (await stage.harness.makePerson()).session)).status).toBe(403)
  })
})
