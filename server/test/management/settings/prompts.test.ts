// Prompts over the wire: every status and message, their limits under races, and how deployments carry them.
import { beforeAll, describe, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { makeKey, type ProviderStage, startProviders } from '../providers/provider-stage.ts'

type Body = Record<string, unknown>

const greeting = {
  messages: [{ role: 'user', content: 'Greet {{name}}' }],
  variables: { name: { type: 'string', max_length: 20 } },
  params: { temperature: 0.2 },
}
const stored = { ...greeting, variables: { name: { type: 'string', max_length: 20, required: true } }, model: null }

const refused: [string, unknown, string][] = [
  ['no messages', {}, 'messages must be an array of 1-50 messages'],
  [
    'an undefined variable',
    { ...greeting, variables: {} },
    'messages.0.content uses {{name}}, which variables must define',
  ],
  [
    'a bad variable',
    { ...greeting, variables: { name: { type: 'text' } } },
    'variables.name.type must be one of: string, number, enum',
  ],
  ['an unknown param', { ...greeting, params: { seed: 1 } }, 'params has an unknown field: seed'],
  ['an unknown model', { ...greeting, model: 'x/y' }, 'model must be a known model ID or null'],
  [
    'an infinite temperature',
    `{"messages":${JSON.stringify(greeting.messages)},"variables":{"name":{"type":"string"}},"params":{"temperature":1e999}}`,
    'params.temperature must be a number 0-2',
  ],
]

describeEachBackend('prompts', start => {
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
  const own = (projectId: string, path: string) => `/auth/v1/projects/${projectId}/${path}`
  const make = async () => (await plane.makeProject(tenantId)).id
  const put = (projectId: string, name: string, body: unknown = greeting) =>
    plane.call('PUT', own(projectId, `prompts/${name}`), { ...owner(), body })
  const get = (projectId: string, name: string) => plane.call('GET', own(projectId, `prompts/${name}`), owner())
  const remove = (projectId: string, name: string) => plane.call('DELETE', own(projectId, `prompts/${name}`), owner())
  const list = async (projectId: string, query = '') =>
    (await plane.call('GET', own(projectId, `prompts${query}`), owner())).body as {
      data: Body[]
      next_cursor: string | null
    }
  const names = async (projectId: string) => (await list(projectId, '?limit=200')).data.map(row => row['name'])
  const post = (projectId: string, path: string) => plane.call('POST', own(projectId, `settings/${path}`), owner())
  const changes = async (projectId: string) =>
    (await plane.call('GET', own(projectId, 'settings/changes'), owner())).body as { field: string }[]

  describe('refuses', () => {
    let projectId: string
    beforeAll(async () => {
      projectId = await make()
    })
    test.each(refused)('%s', async (_name, body, error) => {
      expect(await put(projectId, 'a', body)).toMatchObject({ status: 400, body: { error } })
    })

    test('a name of another form', async () => {
      const error = 'name must begin with a letter or digit and have at most 64 of: A-Z, a-z, 0-9, ., _, -'
      expect(await put(projectId, 'a%20b')).toMatchObject({ status: 400, body: { error } })
    })

    test('a model whose provider has no key', async () => {
      const poor = await plane.makeTenant({ plan: 'pro' })
      const { id } = await plane.makeProject(poor.id)
      expect(await put(id, 'a', { ...greeting, model: 'openai/gpt-4o-mini' })).toMatchObject({ status: 422 })
    })

    test('what is not there', async () => {
      const missing = { status: 404, body: { error: 'Prompt not found' } }
      expect(await get(projectId, 'none')).toMatchObject(missing)
      expect(await remove(projectId, 'none')).toMatchObject(missing)
    })
  })

  test('a prompt is created, read, replaced as a whole and deleted', async () => {
    const id = await make()
    const created = await put(id, 'greeting')
    expect(created).toMatchObject({ status: 200, body: { name: 'greeting', ...stored } })
    expect(await get(id, 'greeting')).toMatchObject({ status: 200, body: created.body })
    const replaced = await put(id, 'greeting', { messages: [{ role: 'user', content: 'Hi' }] })
    const { created_at } = created.body as Body
    expect(replaced).toMatchObject({ status: 200, body: { variables: {}, params: {}, created_at } })
    expect((await remove(id, 'greeting')).status).toBe(204)
    expect(await names(id)).toEqual([])
  })

  test('they are listed by name, in pages', async () => {
    const id = await make()
    for (const name of ['b', 'a', 'C']) await put(id, name)
    const first = await list(id, '?limit=2')
    expect(first.data).toHaveLength(2)
    const second = await list(id, `?limit=2&cursor=${first.next_cursor}`)
    expect(second.next_cursor).toBeNull()
    expect([...first.data, ...second.data].map(row => row['name']).sort()).toEqual(['C', 'a', 'b'])
    expect((await plane.call('GET', own(id, 'prompts?limit=0'), owner())).status).toBe(400)
  })

  test('at most a hundred, however many are made at once, and one of them can still be replaced', async () => {
    const id = await make()
    for (let at = 0; at < 96; at += 8) {
      const answers = await Promise.all(Array.from({ length: 8 }, (_, more) => put(id, `p${at + more}`)))
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    }
    const last = await Promise.all(Array.from({ length: 8 }, (_, more) => put(id, `last${more}`)))
    expect(last.map(({ status }) => status).sort()).toEqual([...Array(4).fill(200), ...Array(4).fill(409)])
    expect(last.find(({ status }) => status === 409)?.body).toMatchObject({
      error: 'Maximum of 100 prompts per project',
    })
    expect(await names(id)).toHaveLength(100)
    expect((await put(id, 'p0')).status).toBe(200)
  })

  test('all prompts of a project together have a size', async () => {
    const id = await make()
    const large = { messages: [0, 1].map(() => ({ role: 'user', content: 'x'.repeat(32_000) })) }
    for (let at = 0; at < 15; at++) expect((await put(id, `p${at}`, large)).status).toBe(200)
    expect(await put(id, 'p15', large)).toMatchObject({
      status: 409,
      body: { error: 'The prompts of a project must have at most 1000000 characters as JSON' },
    })
    expect((await put(id, 'p0', greeting)).status).toBe(200)
  })

  test('they are deployed, discarded and rolled back with the settings, and changes name them', async () => {
    const id = await make()
    await put(id, 'greeting')
    expect(await changes(id)).toEqual([{ field: 'prompts.greeting', from: null, to: stored }])
    await post(id, 'deploy')
    expect(await changes(id)).toEqual([])
    const live = await plane.query('select body from live_configs where project_id = ?', [id])
    expect(JSON.parse(String((live[0] as Body)['body']))).toMatchObject({
      deployment: 1,
      prompts: [{ name: 'greeting', ...stored }],
    })
    await put(id, 'greeting', { messages: [{ role: 'user', content: 'Hi' }] })
    await put(id, 'new')
    expect((await changes(id)).map(({ field }) => field)).toEqual(['prompts.greeting', 'prompts.new'])
    expect((await post(id, 'discard-draft')).status).toBe(200)
    expect((await list(id)).data).toMatchObject([{ name: 'greeting', ...stored }])
    await remove(id, 'greeting')
    await post(id, 'deploy')
    expect(await names(id)).toEqual([])
    expect((await post(id, 'deployments/1/rollback')).status).toBe(200)
    expect((await list(id)).data).toMatchObject([{ name: 'greeting', ...stored }])
    const listed = await plane.call('GET', own(id, 'settings/deployments'), owner())
    const { data } = listed.body as { data: { changes: { field: string }[] }[] }
    expect(data.map(({ changes: all }) => all.map(({ field }) => field))).toEqual(Array(3).fill(['prompts.greeting']))
  })

  test('the key of a provider whose model a prompt names stays while it is used', async () => {
    const tenant = await stage.makeTenant()
    await stage.put(tenant, 'openai', { api_key: makeKey() })
    const { id } = await plane.makeProject(tenant)
    expect((await put(id, 'a', { ...greeting, model: 'openai/gpt-4o-mini' })).status).toBe(200)
    await post(id, 'deploy')
    await remove(id, 'a')
    await post(id, 'deploy')
    await plane.call('DELETE', `/auth/v1/tenants/${tenant}/providers/openai`, owner())
    expect(await post(id, 'deployments/1/rollback')).toMatchObject({ status: 422 })
  })
})
