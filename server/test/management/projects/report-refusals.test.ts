// The refusals of guardrail events, usage and the playground: their queries and bodies, and who may ask.
import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { expectOk, expectRefusal, unknownId, type Words } from '../requests.ts'

describeEachBackend('refusals of', start => {
  let plane: ManagementHarness
  let tenant: { id: string }
  let project: { id: string }
  let viewer: { session: string }
  let stranger: { session: string }

  beforeAll(async () => {
    plane = await start()
    tenant = await plane.makeTenant({ plan: 'pro' })
    project = await plane.makeProject(tenant.id)
    viewer = await plane.makePerson({ tenantId: tenant.id, role: 'viewer' })
    stranger = await plane.makePerson()
  })
  const owned = () => ({ session: plane.owner.session })
  type Row = [string, (() => Promise<Answer>) | string, number, Words]

  describe('guardrail events', () => {
    const list = (query = '', more: object = viewer, tenantId = tenant.id) =>
      plane.call('GET', `/v1/tenants/${tenantId}/guardrails/events${query}`, more)

    test('none: an empty page, and only by this path', async () => {
      const filter = `?project_id=${project.id}&type=pii_block&from=2026-01-01&to=2026-01-01T10:00:00Z&limit=200`
      for (const query of ['', filter]) expect(expectOk(await list(query))).toEqual({ data: [], next_cursor: null })
      expect((await plane.call('GET', `/auth/v1/tenants/${tenant.id}/guardrails/events`, owned())).status).toBe(404)
    })

    const types = 'type must be one of: pii_block, pii_detection, sentinel_jailbreak, sentinel_blocklist'
    test.each<Row>([
      ['an unknown type', '?type=pii', 400, types],
      ['a limit of 0', '?limit=0', 400, 'limit must be an integer 1-200'],
      ['a limit of 201', '?limit=201', 400, 'limit must be an integer 1-200'],
      ['a limit in words', '?limit=ten', 400, 'limit must be an integer 1-200'],
      ['a cursor that we never gave', '?cursor=abc', 400, 'cursor is not valid'],
      ['a time that is none', '?from=yesterday', 400, 'from must be an ISO 8601 time'],
      ['an end that is none', '?to=1', 400, 'to must be an ISO 8601 time'],
      ['two projects', '?project_id=a&project_id=b', 400, 'project_id must be a project ID'],
      ['nobody', () => list('', {}), 401, 'Bearer token required'],
      ['a stranger', () => list('', stranger), 403, 'Forbidden'],
      [
        'an unknown tenant',
        () => list('', viewer, unknownId),
        404,
        { error: 'Tenant not found', code: 'TENANT_NOT_FOUND' },
      ],
    ])('%s', async (_what, call, status, words) => {
      expectRefusal(await (typeof call === 'string' ? list(call) : call()), status, words)
    })
  })

  describe('usage', () => {
    const list = (query = '', more: object = viewer, projectId = project.id) =>
      plane.call('GET', `/auth/v1/projects/${projectId}/usage${query}`, more)

    test('none: an empty page with totals of nothing', async () => {
      const totals = { requests: 0, prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost_usd: 0 }
      for (const query of ['', '?uid=u&from=2026-01-01&to=2026-12-31&group_by=model']) {
        expect(expectOk(await list(query))).toEqual({ data: [], totals, next_cursor: null })
      }
    })

    test.each<Row>([
      ['another grouping', '?group_by=week', 400, 'group_by must be one of: day, model, uid, endpoint'],
      ['a month', '?from=2026-01', 400, 'from must be a date (YYYY-MM-DD)'],
      ['a day that does not exist', '?to=2026-02-31', 400, 'to must be a date (YYYY-MM-DD)'],
      ['two users', '?uid=a&uid=b', 400, 'uid must be a string'],
      ['a limit of 0', '?limit=0', 400, 'limit must be an integer 1-200'],
      ['a cursor that we never gave', '?cursor=', 400, 'cursor is not valid'],
      ['nobody', () => list('', {}), 401, 'Bearer token required'],
      ['a stranger', () => list('', stranger), 403, 'Forbidden'],
      ['an unknown project', () => list('', viewer, unknownId), 404, 'Project not found'],
    ])('%s', async (_what, call, status, words) => {
      expectRefusal(await (typeof call === 'string' ? list(call) : call()), status, words)
    })
  })

  describe('the playground', () => {
    const messages = [{ role: 'user', content: 'Hello' }]
    const play = (body: unknown, more: object = owned(), projectId = project.id) =>
      plane.call('POST', `/auth/v1/projects/${projectId}/playground`, { body, ...more })

    test.each<Row>([
      ['no body', () => play(undefined), 400, 'messages must be a non-empty array'],
      ['no messages', () => play({}), 400, 'messages must be a non-empty array'],
      ['an empty list', () => play({ messages: [] }), 400, 'messages must be a non-empty array'],
      ['text for a list', () => play({ messages: 'Hello' }), 400, 'messages must be a non-empty array'],
      ['a message that is text', () => play({ messages: ['Hello'] }), 400, 'messages must have a role and content'],
      [
        'a message without content',
        () => play({ messages: [{ role: 'user' }] }),
        400,
        'messages must have a role and content',
      ],
      ['no draft model', () => play({ messages }), 404, 'No draft model'],
      ['nobody', () => play({ messages }, {}), 401, 'Bearer token required'],
      ['a stranger', () => play({ messages }, stranger), 403, 'Forbidden'],
      ['an unknown project', () => play({ messages }, owned(), unknownId), 404, 'Project not found'],
    ])('%s', async (_what, call, status, words) => {
      expectRefusal(await (typeof call === 'string' ? play(call) : call()), status, words)
    })

    test('a draft model whose provider has no key', async () => {
      const other = await plane.makeProject(tenant.id)
      const draft = { body: { provider_model: 'openai/gpt-4o-mini' }, ...owned() }
      expectOk(await plane.call('PUT', `/auth/v1/projects/${other.id}/settings/model/draft`, draft))
      const answer = await play({ messages }, owned(), other.id)
      expect(answer.status).toBe(422)
      expect(answer.body).toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED', error: expect.stringContaining('OpenAI') })
    })
  })
})
