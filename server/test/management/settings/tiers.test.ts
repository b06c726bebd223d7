// Tiers over the wire: every status and message, what they resolve to, and the limit of three under races.
import { beforeAll, describe, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { makeKey, type ProviderStage, startProviders } from '../providers/provider-stage.ts'

type Body = Record<string, unknown>

const taken = { error: 'Tier name already exists for this project' }
const full = { error: 'Maximum of 3 tiers per project' }

const refused: [string, unknown, string][] = [
  ['no name', {}, 'name is required'],
  ['a blank name', { name: '  ' }, 'name is required'],
  ['a number as name', { name: 5 }, 'name must be a string'],
  ['a sort order as text', { name: 'a', sort_order: '1' }, 'sort_order must be a finite number'],
  ['a sort order of null', { name: 'a', sort_order: null }, 'sort_order must be a finite number'],
  ['an infinite sort order', '{"name":"a","sort_order":1e999}', 'sort_order must be a finite number'],
  ['an infinite one below zero', '{"name":"a","sort_order":-1e999}', 'sort_order must be a finite number'],
  ['overrides as a list', { name: 'a', overrides: [] }, 'overrides must be an object'],
  ['overrides as null', { name: 'a', overrides: null }, 'overrides must be an object'],
  ['an unknown override', { name: 'a', overrides: { colour: 1 } }, 'overrides has an unknown field: colour'],
  [
    'a setting that no tier overrides',
    { name: 'a', overrides: { cors_origins: [] } },
    'overrides has an unknown field: cors_origins',
  ],
  ['a bad value', { name: 'a', overrides: { rpm_limit: 0 } }, 'rpm_limit must be an integer 1-10000'],
  ['a bad mode', { name: 'a', overrides: { pii_mode: 'x' } }, 'pii_mode must be one of: disabled, shadow, enforce'],
  [
    'an unknown model',
    { name: 'a', overrides: { provider_model: 'x/y' } },
    'provider_model must be a known model ID or null',
  ],
]

describeEachBackend('tiers', start => {
  let stage: ProviderStage
  let plane: ManagementHarness
  let tenantId: string
  beforeAll(async () => {
    stage = await startProviders(start)
    plane = stage.plane
    tenantId = await stage.makeTenant()
    await stage.put(tenantId, 'openai', { api_key: makeKey() })
  })
  const owner = () => ({ session: plane.owner.session })
  const pathOf = (projectId: string, tierId = '') => `/auth/v1/projects/${projectId}/tiers${tierId && `/${tierId}`}`
  const make = (projectId: string, body: unknown) => plane.call('POST', pathOf(projectId), { ...owner(), body })
  const edit = (projectId: string, tierId: string, body: unknown) =>
    plane.call('PUT', pathOf(projectId, tierId), { ...owner(), body })
  const list = async (projectId: string) => (await plane.call('GET', pathOf(projectId), owner())).body as Body[]
  const idOf = (answer: { body: unknown }) => String((answer.body as Body)['id'])

  describe('create refuses', () => {
    let projectId: string
    beforeAll(async () => {
      projectId = (await plane.makeProject(tenantId)).id
    })
    test.each(refused)('%s', async (_name, body, error) => {
      expect(await make(projectId, body)).toMatchObject({ status: 400, body: { error } })
      expect(await list(projectId)).toEqual([])
    })
    test('a model whose provider has no key', async () => {
      const body = { name: 'a', overrides: { provider_model: 'anthropic/claude-sonnet-4-5' } }
      expect(await make(projectId, body)).toMatchObject({ status: 422, body: { code: 'PROVIDER_NOT_CONFIGURED' } })
    })
    test('a caller of another tenant', async () => {
      const { session } = await plane.makePerson()
      const answer = await plane.call('POST', pathOf(projectId), { session, body: { name: 'a' } })
      expect(answer).toMatchObject({ status: 403, body: { error: 'Forbidden' } })
    })
  })

  test('a tier is made, listed with what it resolves to, edited and deleted', async () => {
    const { id } = await plane.makeProject(tenantId)
    const made = await make(id, { name: ' gold ', overrides: { rpm_limit: 5, provider_model: 'openai/gpt-4o' } })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: expect.any(String),
      project_id: id,
      name: 'gold',
      sort_order: 0,
      overrides: { rpm_limit: 5, provider_model: 'openai/gpt-4o' },
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    })
    const [listed] = await list(id)
    expect(listed).toMatchObject({
      ...(made.body as Body),
      resolved: { rpm_limit: 5, provider_model: 'openai/gpt-4o', memory_window: 50 },
    })
    const path = `${pathOf(id, idOf(made))}/resolved`
    expect(await plane.call('GET', path, owner())).toMatchObject({ status: 200, body: listed?.['resolved'] })
    const edited = await edit(id, idOf(made), { sort_order: 3, overrides: { memory_window: 0 } })
    expect(edited).toMatchObject({
      status: 200,
      body: { name: 'gold', sort_order: 3, overrides: { memory_window: 0 } },
    })
    expect((edited.body as Body)['overrides']).toEqual({ memory_window: 0 })
    expect(await plane.call('DELETE', pathOf(id, idOf(made)), owner())).toMatchObject({ status: 204, text: '' })
    expect(await list(id)).toEqual([])
  })

  test('any finite number is a place among the others, and is kept to the last bit', async () => {
    const { id } = await plane.makeProject(tenantId)
    const places = [Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE]
    for (const sort_order of places) {
      expect(await make(id, { name: `at ${sort_order}`, sort_order })).toMatchObject({
        status: 201,
        body: { sort_order },
      })
    }
    const listed = async () => (await list(id)).map(tier => tier['sort_order'])
    expect(await listed()).toEqual([-Number.MAX_VALUE, Number.MIN_VALUE, Number.MAX_VALUE])
    const [first] = await list(id)
    for (const sort_order of [0.1, -2.5, 2 ** 53 - 1, 1_000_001]) {
      const edited = await edit(id, String(first?.['id']), { sort_order })
      expect(edited).toMatchObject({ status: 200, body: { sort_order } })
      expect(await listed()).toContain(sort_order)
    }
    const tooFar = await edit(id, String(first?.['id']), '{"sort_order":1e999}')
    expect(tooFar).toMatchObject({ status: 400, body: { error: 'sort_order must be a finite number' } })
  })

  test('resolved shows the draft, and a pii map replaces the whole map', async () => {
    const { id } = await plane.makeProject(tenantId)
    const settings = { pii_entities: { PERSON: 'MASK', US_SSN: 'BLOCK' }, memory_window: 9 }
    await plane.call('PUT', `/auth/v1/projects/${id}/settings`, { ...owner(), body: settings })
    await make(id, { name: 'a', overrides: { pii_entities: { EMAIL_ADDRESS: 'REDACT' } } })
    const [resolved] = (await list(id)).map(tier => tier['resolved'] as Body)
    expect(resolved).toMatchObject({ memory_window: 9 })
    expect(resolved?.['pii_entities']).toEqual({ EMAIL_ADDRESS: 'REDACT' })
  })

  test('names are unique within a project, on creating and on renaming', async () => {
    const { id } = await plane.makeProject(tenantId)
    const gold = await make(id, { name: 'gold' })
    expect(await make(id, { name: 'gold' })).toMatchObject({ status: 409, body: taken })
    const silver = await make(id, { name: 'silver' })
    expect(await edit(id, idOf(silver), { name: 'gold' })).toMatchObject({ status: 409, body: taken })
    expect(await edit(id, idOf(gold), { name: 'gold', sort_order: 2 })).toMatchObject({ status: 200 })
    const elsewhere = await plane.makeProject(tenantId)
    expect(await make(elsewhere.id, { name: 'gold' })).toMatchObject({ status: 201 })
  })

  test('three at most, also when fifty come at once', async () => {
    const { id } = await plane.makeProject(tenantId)
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => make(id, { name: `tier ${index}` })))
    const statuses = answers.map(answer => answer.status)
    expect(statuses.filter(status => status === 201)).toHaveLength(3)
    expect(statuses.filter(status => status === 409)).toHaveLength(47)
    expect(answers.filter(answer => answer.status === 409).map(answer => answer.body)).toEqual(Array(47).fill(full))
    expect(await list(id)).toHaveLength(3)
  })

  test('fifty of one name at once leave one', async () => {
    const { id } = await plane.makeProject(tenantId)
    const answers = await Promise.all(Array.from({ length: 50 }, () => make(id, { name: 'gold' })))
    expect(answers.filter(answer => answer.status === 201)).toHaveLength(1)
    expect(await list(id)).toHaveLength(1)
  })

  describe('a tier that is not of this project', () => {
    test.each(['0b0f4c1e-0000-4000-8000-000000000000', 'no-uuid', '0', '..%2f'])('%s', async tierId => {
      const { id } = await plane.makeProject(tenantId)
      for (const [method, path] of [
        ['PUT', pathOf(id, tierId)],
        ['DELETE', pathOf(id, tierId)],
        ['GET', `${pathOf(id, tierId)}/resolved`],
      ] as const) {
        const answer = await plane.call(method, path, { ...owner(), body: method === 'PUT' ? {} : undefined })
        expect([400, 404]).toContain(answer.status)
      }
    })

    test('one of a sibling project is not found, and stays as it was', async () => {
      const [mine, sibling] = [await plane.makeProject(tenantId), await plane.makeProject(tenantId)]
      const tierId = idOf(await make(sibling.id, { name: 'gold' }))
      expect(await edit(mine.id, tierId, { name: 'mine' })).toMatchObject({ status: 404 })
      expect(await plane.call('DELETE', pathOf(mine.id, tierId), owner())).toMatchObject({ status: 404 })
      expect(await list(sibling.id)).toMatchObject([{ id: tierId, name: 'gold' }])
    })
  })
})
