// The official `openai` client's Responses API against the product, in front of OpenAI's own format and of Anthropic's.
import OpenAI, { APIError } from 'openai'
import { zodTextFormat } from 'openai/helpers/zod'
import type { ResponseInputItem } from 'openai/resources/responses/responses'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { answerOf, callItem, eventsOf, messageItem, streamOf } from '../providers/protocols/responses/responses-wire.ts'
import { breakOff, errorResponse, eventStream, type Said, type Shape } from '../support/simulated/provider-answers.ts'
import { type ClientStage, models, shapes, startClientStage, weatherCalls } from './client-stage.ts'
import { weatherTool } from './weather-tool.ts'

const input = 'Hello'
const tools = [{ type: 'function' as const, strict: null, ...weatherTool }]
const native = 'POST /v1/responses'

let stage: ClientStage
beforeAll(async () => {
  stage = await startClientStage()
})
afterAll(() => stage.end())

let answers = 0

/** What OpenAI's Responses API says of the same. */
function itemsOf({ text = [], calls = [] }: Said) {
  return [
    ...(text.length === 0 ? [] : [messageItem('msg_1', text.join(''))]),
    ...calls.map(({ id, name, pieces }, index) => callItem(`fc_${index}`, id, name, pieces.join(''))),
  ]
}

function says(shape: Shape, said: Said): void {
  stage.says(shape, said)
  // This one is asked in its own format.
  if (shape === 'openai') sayNative(said)
}

function sayNative(said: Said): void {
  stage.upstream.on(native, ({ body }) => {
    const id = `resp_upstream${answers++}`
    const items = itemsOf(said)
    if (JSON.parse(body).stream !== true) return { body: { ...answerOf(items), id } }
    return eventStream([streamOf(eventsOf(items)).replaceAll('"resp_1"', `"${id}"`)])
  })
}

/** The bodies that the provider was sent, the newest last. */
function sent(shape: Shape): Record<string, unknown>[] {
  if (shape !== 'openai') return stage.sent(shape)
  return stage.upstream.requests
    .filter(({ method, path }) => `${method} ${path}` === native)
    .map(({ body }) => JSON.parse(body) as Record<string, unknown>)
}

async function caught(promise: Promise<unknown>): Promise<APIError> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof APIError) return error
  throw new Error(`no error of the API: ${String(error)}`)
}

describe.each(shapes)('responses of the openai client in front of %s', shape => {
  const client = () => {
    const { baseURL, token } = stage.projects[shape]
    return new OpenAI({ baseURL, apiKey: token, maxRetries: 0 })
  }
  const model = models[shape]

  test('plain, with its usage and the request id', async () => {
    says(shape, { text: ['Grüße, ', '世界'] })
    const response = await client().responses.create({ model, input, metadata: { a: 'b' } })
    expect(response).toMatchObject({ object: 'response', status: 'completed', output_text: 'Grüße, 世界' })
    expect(response.usage?.total_tokens).toBeGreaterThan(0)
    expect(response._request_id).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('streamed, by iteration and by the helper', async () => {
    says(shape, { text: ['Grüße, ', '世', '界'] })
    const pieces: string[] = []
    for await (const event of await client().responses.create({ model, input, stream: true })) {
      if (event.type === 'response.output_text.delta') pieces.push(event.delta)
    }
    expect(pieces.length).toBeGreaterThan(1)
    expect(pieces.join('')).toBe('Grüße, 世界')
    const snapshots: string[] = []
    const stream = client().responses.stream({ model, input })
    stream.on('response.output_text.delta', ({ snapshot }) => snapshots.push(snapshot))
    const response = await stream.finalResponse()
    expect(response.output_text).toBe('Grüße, 世界')
    expect(snapshots.at(-1)).toBe('Grüße, 世界')
  })

  test('parallel calls, plain and streamed, and their results on the way back', async () => {
    says(shape, weatherCalls)
    const request = { model, input, tools }
    const plain = await client().responses.create(request)
    const streamed = await client().responses.stream(request).finalResponse()
    for (const { output } of [plain, streamed]) {
      const calls = output.flatMap(item => (item.type === 'function_call' ? [JSON.parse(item.arguments)] : []))
      expect(calls).toEqual([{ city: 'Zürich' }, { city: 'Łódź' }])
    }
    const results = plain.output.flatMap(item =>
      item.type === 'function_call'
        ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: `sun ${item.call_id}` }]
        : [],
    )
    says(shape, { text: ['Sunny'] })
    const whole = [{ role: 'user' as const, content: input }, ...(plain.output as ResponseInputItem[]), ...results]
    for (const after of [{ input: whole }, { input: results, previous_response_id: plain.id }]) {
      expect((await client().responses.create({ model, tools, ...after })).output_text).toBe('Sunny')
      const asked = JSON.stringify(sent(shape).at(-1))
      for (const { call_id } of results) expect(asked).toContain(`sun ${call_id}`)
      expect(asked).toContain('Zürich')
      expect(asked).not.toContain(plain.id)
    }
  })

  test('structured output, plain and streamed', async () => {
    const format = zodTextFormat(z.object({ city: z.string(), degrees: z.number() }), 'weather')
    says(shape, { text: ['{"city":"Łódź",', '"degrees":21}'] })
    const request = { model, input, text: { format } }
    expect((await client().responses.parse(request)).output_parsed).toEqual({ city: 'Łódź', degrees: 21 })
    const streamed = await client().responses.stream(request).finalResponse()
    expect(streamed.output_parsed).toEqual({ city: 'Łódź', degrees: 21 })
    expect(JSON.stringify(sent(shape).at(-1))).toContain('degrees')
  })

  test('stored: read again, continued and deleted', async () => {
    says(shape, { text: ['Hello'] })
    const first = await client().responses.create({ model, input: 'one' })
    expect(await client().responses.retrieve(first.id)).toMatchObject({ id: first.id, output_text: 'Hello' })
    await client().responses.create({ model, input: 'two', previous_response_id: first.id })
    expect(JSON.stringify(sent(shape).at(-1))).toMatch(/one.*Hello.*two/)
    await client().responses.delete(first.id)
    expect(await caught(client().responses.retrieve(first.id))).toMatchObject({
      status: 404,
      code: 'response_not_found',
    })
  })

  test('an error before the answer, and one in the stream', async () => {
    const refused = errorResponse(shape, 401, 'Incorrect API key provided: sk-client')
    if (shape === 'openai') stage.upstream.on(native, refused)
    else stage.answers(shape, refused)
    const error = await caught(client().responses.create({ model, input }))
    expect(error).toMatchObject({ status: 502, code: 'provider_auth_error', type: 'server_error' })
    const said = { text: ['Hel', 'lo'] }
    if (shape === 'openai') stage.upstream.on(native, eventStream([streamOf(eventsOf(itemsOf(said)).slice(0, -3))]))
    else stage.answers(shape, () => breakOff(shape, said, 3))
    const read = async () => {
      for await (const _ of await client().responses.create({ model, input, stream: true }));
    }
    expect(await caught(read())).toMatchObject({ code: 'provider_unavailable' })
    expect(await caught(client().responses.stream({ model, input }).finalResponse())).toMatchObject({
      code: 'provider_unavailable',
    })
  })
})
