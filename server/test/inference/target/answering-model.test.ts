// Tests that every answer of a model says which one it was, and the setting by which no other model answers than the
// one that a request names: over all surfaces, plain and streamed, and from the cache.
import { beforeAll, describe, expect, test } from 'vitest'
import { errorResponse, say } from '../../support/simulated/provider-answers.ts'
import { surfaces } from '../every-wire.ts'
import { openStage, type Stage, type TestProject } from '../inference-stage.ts'

const used = 'openai/gpt-4o-mini'
const paths = Object.values(surfaces)
const surfacesAndForms = paths.flatMap(surface => [false, true].map(stream => ({ ...surface, stream })))
const embeddings = { data: [{ index: 0, embedding: [1, 2] }], model: 'm', usage: { prompt_tokens: 3, total_tokens: 3 } }

describe.each(['sqlite', 'postgres'] as const)('on %s', backend => {
  let stage: Stage
  let exact: TestProject
  beforeAll(async () => {
    stage = await openStage(backend)
    stage.script(({ body }) => say('openai', { text: ['Hel', 'lo'] }, JSON.parse(body).stream === true))
    for (const path of ['/v1/responses', '/v1/embeddings']) stage.upstream.on(`POST ${path}`, { body: embeddings })
    exact = await stage.makeProject({ settings: { client_model: 'exact', cors_origins: ['https://app.example'] } })
    return stage.stop
  })

  const modelOf = ({ status, headers }: { status: number; headers: Record<string, unknown> }) => [
    status,
    headers['x-sallyport-model'],
  ]

  test('every answer of a model names it, and an error of its provider too', async () => {
    const project = await stage.makeProject({ settings: { cache: { ttl_seconds: 600 } } })
    for (const { path, ask, stream } of surfacesAndForms) {
      // OpenAI is asked in its own format there, which no script speaks here.
      if (path === '/v1/responses') continue
      const body = { ...ask('Who answers?'), model: 'nobody-knows', stream }
      expect(modelOf(await project.ask('POST', path, { body })), path).toEqual([200, used])
    }
    const counted = { ...surfaces.messages.ask('Hi'), model: 'claude-sonnet-4-5' }
    expect(modelOf(await project.ask('POST', '/v1/messages/count_tokens', { body: counted }))).toEqual([200, used])
    const [vectors, small] = [{ input: 'Hi', model: 'text-embedding-3-small' }, 'openai/text-embedding-3-small']
    expect(modelOf(await project.ask('POST', '/v1/embeddings', { body: vectors }))).toEqual([200, small])
    const cached = () => project.complete({}, { headers: { 'x-sallyport-cache': 'use' } })
    await cached()
    await expect.poll(async () => (await cached()).headers['x-sallyport-cache']).toBe('hit')
    expect(modelOf(await cached())).toEqual([200, used])
    stage.script(() => errorResponse('openai', 400, 'No'))
    expect(modelOf(await project.complete({ model: 'gpt-4o' }))).toEqual([400, 'openai/gpt-4o'])
    expect(modelOf(await project.ask('GET', '/v1/models'))).toEqual([200, undefined])
    stage.script(({ body }) => say('openai', { text: ['Hel', 'lo'] }, JSON.parse(body).stream === true))
  })

  test('pages of allowed origins can read the model', async () => {
    const { headers } = await exact.complete({}, { headers: { origin: 'https://app.example' } })
    expect(headers['access-control-expose-headers']?.split(', ')).toContain('x-sallyport-model')
  })

  test.each(surfacesAndForms)('exact: $path (stream: $stream) refuses what another would answer', async surface => {
    const { path, ask, stream } = surface
    const calls = stage.upstream.requests.length
    for (const model of ['gpt-99', 'openai/gpt-99', 'anthropic/claude-sonnet-4-5', '']) {
      const { status, headers, body } = await exact.ask('POST', path, { body: { ...ask('Hi'), model, stream } })
      const message = `The model ${model} does not exist or this project may not use it`
      expect([status, headers['x-should-retry']], model).toEqual([404, 'false'])
      expect(body).toMatchObject(
        path === '/v1/messages'
          ? { type: 'error', error: { type: 'not_found_error', message } }
          : { error: { message, param: 'model', code: 'model_not_found' } },
      )
    }
    expect(stage.upstream.requests.length).toBe(calls)
  })

  test('exact: a model that the project uses may be named in both forms, or not at all', async () => {
    for (const [model, answering] of [
      [undefined, used],
      ['gpt-4o-mini', used],
      [used, used],
      ['gpt-4o', 'openai/gpt-4o'],
    ]) {
      expect(modelOf(await exact.complete({ model }))).toEqual([200, answering])
    }
    const vectors = { input: 'Hi', model: 'text-embedding-99' }
    expect((await exact.ask('POST', '/v1/embeddings', { body: vectors })).status).toBe(404)
  })

  test('exact: with routes a request names a target that it may choose, or none', async () => {
    const targets = [{ model: used }, { model: 'openai/gpt-4o' }]
    const settings = { client_model: 'exact', allowed_models: [used], routes: { strategy: 'fallback', targets } }
    const project = await stage.makeProject({ settings })
    for (const model of [undefined, used, 'gpt-4o-mini']) {
      expect(modelOf(await project.complete({ model }))).toEqual([200, used])
    }
    // The second may not be chosen, and the third is no target.
    for (const model of ['gpt-4o', 'gpt-4.1']) expect((await project.complete({ model })).status).toBe(404)
  })

  test('exact: a tier may have the rule for itself', async () => {
    const tiers = [{ name: 'strict', overrides: { client_model: 'exact' } }]
    const project = await stage.makeProject({ tiers })
    expect((await project.complete({ model: 'gpt-99' })).status).toBe(200)
    expect(
      (await project.complete({ model: 'gpt-99' }, { token: await project.mint({ tier: 'strict' }) })).status,
    ).toBe(404)
  })
})
