// Embeddings with the official `openai` client, which asks for base64 and decodes it by itself, and with the AI SDK.
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { embed, embedMany } from 'ai'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ClientStage, startClientStage } from './client-stage.ts'

let stage: ClientStage
beforeAll(async () => {
  stage = await startClientStage()
})
afterAll(() => stage.end())

const client = () => {
  const { baseURL, token } = stage.projects.openai
  return new OpenAI({ baseURL, apiKey: token, maxRetries: 0 })
}
const model = 'text-embedding-3-small'
const vectors = [
  [0.5, -1.25],
  [3, 0.0625],
]
const base64 = vectors.map(vector => Buffer.from(new Float32Array(vector).buffer).toString('base64'))

function scriptVectors(): void {
  stage.upstream.on('POST /v1/embeddings', ({ body }) => {
    const isBase64 = JSON.parse(body).encoding_format === 'base64'
    const data = vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: isBase64 ? base64[index] : vector,
    }))
    return { body: { object: 'list', data, model, usage: { prompt_tokens: 4, total_tokens: 4 } } }
  })
}

test.each([undefined, 'float'] as const)('vectors are numbers, with the encoding %s', async encoding_format => {
  scriptVectors()
  const options = encoding_format === undefined ? {} : { encoding_format }
  const answer = await client().embeddings.create({ model, input: ['one', 'two'], ...options })
  expect(answer.data.map(({ embedding }) => Array.from(embedding))).toEqual(vectors)
  expect(answer.usage).toEqual({ prompt_tokens: 4, total_tokens: 4 })
  const asked = JSON.parse(stage.upstream.requests.at(-1)?.body ?? '{}')
  expect(asked).toMatchObject({ model, encoding_format: encoding_format ?? 'base64' })
})

test.each(['openai', 'openai-compatible'] as const)('the AI SDK with its provider %s', async kind => {
  scriptVectors()
  const { baseURL, token } = stage.projects.openai
  const provider =
    kind === 'openai'
      ? createOpenAI({ baseURL, apiKey: token })
      : createOpenAICompatible({ name: 'sallyport', baseURL, apiKey: token })
  const one = provider.embeddingModel(model)
  expect((await embed({ model: one, value: 'one' })).embedding).toEqual(vectors[0])
  const many = await embedMany({ model: one, values: ['one', 'two'] })
  expect(many.embeddings).toEqual(vectors)
  expect(many.usage).toMatchObject({ tokens: 4 })
})

test('a model that makes no vectors is an error that lists those that do', async () => {
  const failed = client().embeddings.create({ model: 'gpt-4o-mini', input: 'x' })
  await expect(failed).rejects.toMatchObject({
    status: 400,
    code: 'model_not_supported',
    param: 'model',
    message: expect.stringContaining('openai/text-embedding-3-small'),
  })
})

test('a model is retrieved by its id, slash and all', async () => {
  const found = await client().models.retrieve('openai/text-embedding-3-small')
  expect(found).toMatchObject({ id: 'openai/text-embedding-3-small', capabilities: { surfaces: ['embeddings'] } })
  await expect(client().models.retrieve('gpt-99')).rejects.toMatchObject({ status: 404, code: 'model_not_found' })
})
