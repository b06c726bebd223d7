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
