// Tests GET /v1/models/:id in every spelling of an id, which surfaces a model is shown with, and that a model which
// cannot answer an endpoint is refused with those that can.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { say } from '../../support/simulated/provider-answers.ts'
import { openStage, type Stage, type TestProject } from '../inference-stage.ts'

const chat = ['chat_completions', 'responses', 'messages']

describe.each(['sqlite', 'postgres'] as const)('on %s', backend => {
  let stage: Stage
  let project: TestProject
  beforeAll(async () => {
    stage = await openStage(backend)
    stage.script(({ body }) => say('openai', { text: ['ok'] }, JSON.parse(body).stream === true))
    project = await stage.makeProject({ model: 'openai/gpt-4o-mini' })
  })
  afterAll(() => stage.stop())

  const get = (id: string, method = 'GET') => project.ask(method, `/v1/models/${id}`)
  const shown = (id: string, surfaces: readonly string[]) => ({
    id,
    object: 'model',
    created: 0,
    owned_by: 'openai',
    capabilities: { surfaces },
  })

  test('all models are listed with their surfaces', async () => {
    const { body } = await project.ask('GET', '/v1/models')
    const { data } = body as { data: { id: string; capabilities: object }[] }
    expect(data[0]).toEqual(shown('openai/gpt-4o-mini', chat))
    expect(data).toContainEqual(shown('openai/text-embedding-3-small', ['embeddings']))
    expect(data).toContainEqual(shown('openai/gpt-5-codex', ['responses']))
    for (const model of data) expect((await get(model.id)).body).toEqual(model)
  })

  test.each([
    ['openai/text-embedding-3-small'],
    ['openai%2Ftext-embedding-3-small'],
    ['text-embedding-3-small'],
    ['openai/text-embedding-3-small?x=%2F'],
  ])('%s is found', async path => {
    expect(await get(path)).toMatchObject({
      status: 200,
      body: shown('openai/text-embedding-3-small', ['embeddings']),
    })
    const head = await get(path, 'HEAD')
    expect([head.status, head.text]).toEqual([200, ''])
  })

  test.each(['gpt-99', 'openai/gpt-99', 'anthropic/claude-sonnet-4-5', 'openai%2F', 'a%3Ab'])(
    '%s is not found',
    async path => {
      const id = decodeURIComponent(path)
      expect(await get(path)).toMatchObject({
        status: 404,
        body: {
          error: {
            message: `The model ${id} does not exist or this project may not use it`,
            type: 'not_found_error',
            param: 'model',
            code: 'model_not_found',
          },
        },
      })
    },
  )

  describe('pages, as Anthropic’s clients ask for them', () => {
    interface Page {
      data: { id: string }[]
      has_more?: boolean
      first_id: string
      last_id: string
    }
    const list = async (query: string) => (await project.ask('GET', `/v1/models${query}`)).body as Page
    const idsOf = ({ data }: Page) => data.map(({ id }) => id)

    test('forwards and backwards they have the list as it is, and say whether there is more', async () => {
      const whole = await list('')
      expect(whole).not.toHaveProperty('has_more')
      const all = idsOf(whole)
      const seen: string[] = []
      let page = await list('?limit=3')
      for (;;) {
        seen.push(...idsOf(page))
        expect([page.first_id, page.last_id]).toEqual([idsOf(page)[0], idsOf(page).at(-1)])
        if (page.has_more !== true) break
        page = await list(`?limit=3&after_id=${encodeURIComponent(page.last_id)}`)
      }
      expect(seen).toEqual(all)
      const last = encodeURIComponent(all.at(-1) ?? '')
      const before = await list(`?limit=2&before_id=${last}`)
      expect([idsOf(before), before.has_more]).toEqual([all.slice(-3, -1), true])
      const first = await list(`?before_id=${encodeURIComponent(all[1] ?? '')}`)
      expect([idsOf(first), first.has_more]).toEqual([all.slice(0, 1), false])
      expect(await list(`?after_id=${last}`)).toMatchObject({
        data: [],
        has_more: false,
        first_id: null,
        last_id: null,
      })
      expect(idsOf(await list(`?after_id=${encodeURIComponent(all[0] ?? '')}`))).toEqual(all.slice(1, 21))
    })

    test.each([
      ['limit=0', 'limit', 'limit must be an integer 1-1000'],
      ['limit=1001', 'limit', 'limit must be an integer 1-1000'],
      ['limit=1&limit=2', 'limit', 'limit must be an integer 1-1000'],
      ['after_id=openai/gpt-99', 'after_id', 'after_id must be the id of a model of this list'],
      ['before_id=', 'before_id', 'before_id must be the id of a model of this list'],
      ['after_id=a&before_id=b', 'before_id', 'after_id and before_id cannot be combined'],
    ])('%s is rejected', async (query, param, message) => {
      const answer = await project.ask('GET', `/v1/models?${query}`)
      expect(answer).toMatchObject({ status: 400, body: { error: { message, param, type: 'invalid_request_error' } } })
    })

    test('the token may come in x-api-key, but no API key', async () => {
      const { harness } = stage
      const ask = async (key: string, path: string) => {
        const headers = { 'x-api-key': key }
        return await harness.call('GET', `/p/${project.slug}${path}`, { headers })
      }
      const token = await project.mint()
      for (const path of ['/v1/models', '/v1/models/gpt-4o']) expect((await ask(token, path)).status).toBe(200)
      expect((await ask(token, '/v1/threads')).status).toBe(401)
      const { api_key: apiKey } = await harness.makeApiKey(project.id)
      for (const key of [apiKey, 'service_sk_live_short']) {
        const refused = await ask(key, '/v1/models')
        expect([refused.status, refused.text]).toEqual([401, expect.stringContaining('mint a token with it')])
      }
      const path = `/auth/v1/projects/${project.id}/diagnostics`
      const noted = async () => {
        const { body } = await harness.call('GET', path, { session: harness.owner.session })
        return (body as { data: { kind: string; detail: string }[] }).data.map(({ kind, detail }) => [kind, detail])
      }
      const expected = [apiKey.slice(-4), 'malformed'].map(detail => ['api_key_as_token', detail])
      await expect.poll(async () => (await noted()).toSorted()).toEqual(expected.toSorted())
    })
  })

  test('a model that the project does not allow is not found', async () => {
    const narrow = await stage.makeProject({ settings: { allowed_models: ['openai/gpt-4o'] } })
    expect((await narrow.ask('GET', '/v1/models/openai/gpt-4o')).status).toBe(200)
    expect((await narrow.ask('GET', '/v1/models/openai/gpt-4o-mini')).status).toBe(404)
  })

  test('a model of other surfaces answers no chat, whether named or configured', async () => {
    stage.upstream.requests.length = 0
    const refused = (id: string) => ({
      status: 400,
      body: {
        error: {
          message: expect.stringContaining(`The model ${id} does not serve this endpoint. Models that do: openai/`),
          type: 'invalid_request_error',
          param: 'model',
          code: 'model_not_supported',
        },
      },
    })
    const answer = await project.complete({ model: 'text-embedding-3-small' })
    expect(answer).toMatchObject(refused('openai/text-embedding-3-small'))
    expect(answer.text).toContain('openai/gpt-4o-mini')
    expect(answer.text).not.toContain('openai/text-embedding-3-large')
    const configured = await stage.makeProject({ model: 'openai/gpt-5-codex' })
    expect(await configured.complete()).toMatchObject(refused('openai/gpt-5-codex'))
    const narrow = await stage.makeProject({
      model: 'openai/gpt-5-codex',
      settings: { allowed_models: ['openai/gpt-4o'] },
    })
    expect((await narrow.complete()).text).toContain('Models that do: openai/gpt-4o"')
    expect(stage.asked()).toEqual([])
  })

  test("the tenant's list has them too", async () => {
    const path = `/auth/v1/tenants/${project.tenantId}/providers/models`
    const { body } = await stage.harness.call('GET', path, { session: stage.harness.owner.session })
    const { models } = body as { models: { modelId: string; capabilities: { surfaces: string[] } }[] }
    const surfacesOf = (id: string) => models.find(({ modelId }) => modelId === id)?.capabilities.surfaces
    expect(surfacesOf('openai/gpt-4o-mini')).toEqual(chat)
    expect(surfacesOf('openai/text-embedding-3-small')).toEqual(['embeddings'])
  })
})
