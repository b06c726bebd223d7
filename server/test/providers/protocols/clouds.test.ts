// Where Azure and Vertex AI differ from the wire formats that they share with OpenAI, Google and Anthropic.

import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/domain/json-object.ts'
import { azureChat } from '../../../src/providers/protocols/chat/azure.ts'
import type { Protocol } from '../../../src/providers/protocols/protocol.ts'
import { findVertexProtocol, vertexGemini } from '../../../src/providers/protocols/vertex.ts'
import { readCompletionRequest } from '../../surfaces/chat-completions/read-body.ts'
import { collect } from './fixtures.ts'
import { decodeStream, deltasOf, testReading, testTarget } from './protocol-suite.ts'

function rendered(protocol: Protocol, model: string, body: JsonObject = {}) {
  const { prompt } = readCompletionRequest({ messages: [{ role: 'user', content: 'hi' }], ...body })
  return protocol.render(prompt, testTarget({ model, hasBaseUrlOverride: true, endUserHash: 'hash' }))
}

describe('azure', () => {
  const filters = { hate: { filtered: false, severity: 'safe' } }
  const chunk = (fields: JsonObject) => ({
    id: 'a',
    object: 'chat.completion.chunk',
    created: 5,
    model: 'gpt',
    ...fields,
  })
  const choice = (delta: JsonObject, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason, content_filter_results: filters }],
  })
  const streamOf = (...chunks: JsonObject[]) => {
    const lines = [...chunks.map(value => JSON.stringify(value)), '[DONE]'].map(data => `data: ${data}\n\n`)
    return deltasOf(decodeStream(azureChat, [Buffer.from(lines.join(''))]))
  }
  const errorFor = (status: number, error: JsonObject) =>
    azureChat.readError({ status, headers: { 'retry-after': '7' }, body: JSON.stringify({ error }), now: 0 })

  it('is asked below the deployment', () => {
    const request = rendered(azureChat, 'my gpt', { max_tokens: 5, messages: [{ role: 'developer', content: 'Hi' }] })
    expect(request.path).toEqual(['deployments', 'my gpt', 'chat', 'completions'])
    expect(request.body).toEqual({
      model: 'my gpt',
      messages: [{ role: 'system', content: 'Hi' }],
      max_completion_tokens: 5,
      user: 'hash',
    })
  })

  it('answers after a chunk about the prompt that has no choices', () => {
    const prompt = { id: '', object: '', created: 0, model: '', choices: [], prompt_filter_results: [filters] }
    const deltas = streamOf(
      prompt,
      chunk(choice({ role: 'assistant', content: '' })),
      chunk(choice({ content: 'Hello' })),
      chunk(choice({}, 'stop')),
      chunk({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } }),
    )
    expect(deltas[0]).toEqual({ type: 'origin', id: 'a', model: 'gpt', createdSeconds: 5 })
    expect(collect(deltas)).toMatchObject({
      choices: [{ text: 'Hello', finish: 'stop' }],
      usage: { totalTokens: 3 },
      error: null,
    })
  })

  it('may end an answer by its content filter', () => {
    const deltas = streamOf(chunk(choice({ content: 'Hel' })), chunk(choice({}, 'content_filter')))
    expect(collect(deltas).choices).toMatchObject([{ text: 'Hel', finish: 'content_filter' }])
  })

  it('rejects a prompt by its content filter', () => {
    const message = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."
    const innererror = { code: 'ResponsibleAIPolicyViolation', content_filter_result: filters }
    expect(errorFor(400, { message, code: 'content_filter', param: 'prompt', type: null, innererror })).toMatchObject({
      class: 'content_filter',
      param: 'messages',
      message,
    })
  })

  it.each([
    [401, '401', 'auth'],
    [404, 'DeploymentNotFound', 'model_not_found'],
    [429, 'RateLimitReached', 'rate_limit'],
    [400, 'context_length_exceeded', 'context_overflow'],
    [500, 'InternalServerError', 'server_error'],
  ])('answers %i %s', (status, code, errorClass) => {
    expect(errorFor(status, { code, message: 'No' })).toMatchObject({ class: errorClass, retryAfterSeconds: 7 })
  })
})

describe('vertex', () => {
  const vertexProtocol = (model: string) => findVertexProtocol(model) ?? vertexGemini

  it('is asked below the publisher of the model', () => {
    const gemini = vertexProtocol('gemini-2.5-pro')
    expect(rendered(gemini, 'gemini-2.5-pro').path).toEqual([
      'publishers',
      'google',
      'models',
      'gemini-2.5-pro:generateContent',
    ])
    const streamed = rendered(gemini, 'gemini-2.5-pro', { stream: true })
    expect(streamed.path.at(-1)).toBe('gemini-2.5-pro:streamGenerateContent')
    expect(streamed.query).toEqual({ alt: 'sse' })
  })

  it('has the version of the format in a body for Claude, and the model in the path', () => {
    const model = 'claude-sonnet-4-5@20250929'
    const { path, body } = rendered(vertexProtocol(model), model)
    expect(path).toEqual(['publishers', 'anthropic', 'models', `${model}:rawPredict`])
    expect(body).toEqual({
      anthropic_version: 'vertex-2023-10-16',
      max_tokens: 8192,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
      metadata: { user_id: 'hash' },
    })
    const streamed = rendered(vertexProtocol(model), model, { stream: true })
    expect(streamed.path.at(-1)).toBe(`${model}:streamRawPredict`)
    expect(streamed.body).toMatchObject({ stream: true })
  })

  it('reads the answers of both', () => {
    const gemini = { candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] }
    const claude = { type: 'message', content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn' }
    for (const [model, body] of [
      ['gemini-2.5-pro', gemini],
      ['claude-opus-4-1', claude],
    ] as const) {
      const event = vertexProtocol(model).decodeAnswer(Buffer.from(JSON.stringify(body)), testReading())
      expect(collect(event.deltas).choices).toMatchObject([{ text: 'Hi', finish: 'stop' }])
    }
  })
})
