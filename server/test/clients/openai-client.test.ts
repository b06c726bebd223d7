// The official `openai` client against the product, in front of an OpenAI-shaped and an Anthropic-shaped provider.
import OpenAI, { APIError } from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { loadFixtures } from '../providers/protocols/fixtures.ts'
import { describeWithSharedData } from '../support/shared-data.ts'
import { breakOff, errorResponse, eventStream, wholeUsage } from '../support/simulated/provider-answers.ts'
import {
  type ClientProject,
  type ClientStage,
  countingFetch,
  models,
  shapes,
  startClientStage,
  weatherCalls,
} from './client-stage.ts'
import { weatherTool } from './weather-tool.ts'

const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hello' }]
const tools = [{ type: 'function' as const, function: weatherTool }]
const uuid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/

let stage: ClientStage
beforeAll(async () => {
  stage = await startClientStage()
})
afterAll(() => stage.end())

function clientOf({ baseURL, token }: ClientProject, options: ConstructorParameters<typeof OpenAI>[0] = {}) {
  return new OpenAI({ baseURL, apiKey: token, maxRetries: 0, ...options })
}

describe.each(shapes)('the openai client in front of %s', shape => {
  const client = () => clientOf(stage.projects[shape])
  const model = models[shape]

  test('a plain answer, with its usage and the request id', async () => {
    stage.says(shape, { text: ['Grüße, ', '世界'] })
    const completion = await client().chat.completions.create({ model, messages })
    expect(completion.choices[0]).toMatchObject({
      index: 0,
      finish_reason: 'stop',
      logprobs: null,
      message: { role: 'assistant', content: 'Grüße, 世界', refusal: null },
    })
    expect(completion.usage).toMatchObject(wholeUsage)
    expect(completion.object).toBe('chat.completion')
    expect(Number.isInteger(completion.created)).toBe(true)
    expect(completion._request_id).toMatch(uuid)
  })

  test('a streamed answer, with the usage where it is asked for', async () => {
    stage.says(shape, { text: ['Grüße, ', '世', '界'] })
    const options = { include_usage: true }
    const stream = client().chat.completions.stream({ model, messages, stream_options: options })
    const pieces: string[] = []
    stream.on('content', piece => pieces.push(piece))
    const completion = await stream.finalChatCompletion()
    expect(pieces.join('')).toBe('Grüße, 世界')
    expect(pieces.length).toBeGreaterThan(1)
    expect(completion.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'Grüße, 世界' } })
    expect(completion.usage).toMatchObject(wholeUsage)

    const bare = await client().chat.completions.create({ model, messages, stream: true }).withResponse()
    expect(bare.request_id).toMatch(uuid)
    for await (const chunk of bare.data) expect(chunk.usage ?? null).toBeNull()
  })

  test('parallel tool calls, plain, and their results on the way back', async () => {
    stage.says(shape, weatherCalls)
    const { choices } = await client().chat.completions.create({ model, messages, tools })
    const [choice] = choices
    expect(choice?.finish_reason).toBe('tool_calls')
    const calls = choice?.message.tool_calls ?? []
    expect(calls.map(call => (call.type === 'function' ? JSON.parse(call.function.arguments) : null))).toEqual([
      { city: 'Zürich' },
      { city: 'Łódź' },
    ])
    if (choice === undefined) return
    stage.says(shape, { text: ['Sunny'] })
    const results = calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: `sun ${id}` }))
    const after = await client().chat.completions.create({
      model,
      tools,
      messages: [...messages, choice.message, ...results],
    })
    expect(after.choices[0]?.message.content).toBe('Sunny')
    for (const { id } of calls) expect(JSON.stringify(stage.sent(shape).at(-1))).toContain(`sun ${id}`)
  })

  test('parallel tool calls, streamed', async () => {
    stage.says(shape, weatherCalls)
    const stream = client().chat.completions.stream({ model, messages, tools })
    const [choice] = (await stream.finalChatCompletion()).choices
    expect(choice?.finish_reason).toBe('tool_calls')
    expect(choice?.message.tool_calls?.map(call => call.type === 'function' && call.function)).toMatchObject([
      { name: 'get_weather', arguments: '{"city":"Zürich"}' },
      { name: 'get_weather', arguments: '{"city":"Łódź"}' },
    ])
    expect(new Set(choice?.message.tool_calls?.map(({ id }) => id)).size).toBe(2)
  })

  test('structured output, plain and streamed', async () => {
    const format = zodResponseFormat(z.object({ city: z.string(), degrees: z.number() }), 'weather')
    stage.says(shape, { text: ['{"city":"Łódź",', '"degrees":21}'] })
    const request = { model, messages, response_format: format }
    const parsed = await client().chat.completions.parse(request)
    expect(parsed.choices[0]?.message.parsed).toEqual({ city: 'Łódź', degrees: 21 })
    const streamed = await client().chat.completions.stream(request).finalChatCompletion()
    expect(streamed.choices[0]?.message.parsed).toEqual({ city: 'Łódź', degrees: 21 })
    expect(JSON.stringify(stage.sent(shape).at(-1))).toContain('degrees')
  })

  test('the models that it may use', async () => {
    const list = await client().models.list()
    expect(list.data.map(({ id }) => id)).toContain(`${shape}/${model}`)
    expect(list.data.every(entry => entry.object === 'model' && Number.isInteger(entry.created))).toBe(true)
  })

  test.each([1, 2, 3])('a stream that the provider cuts after %i events is an error, not an answer', async kept => {
    stage.answers(shape, () => breakOff(shape, { text: ['Hel', 'lo'] }, kept))
    const read = async () => {
      for await (const _ of await client().chat.completions.create({ model, messages, stream: true }));
    }
    const error = await caught(read())
    expect(error).toMatchObject({ code: 'provider_unavailable' })
  })

  test('an upstream that refuses the key is told once', async () => {
    stage.answers(shape, errorResponse(shape, 401, 'Incorrect API key provided: sk-client'))
    const counted = countingFetch()
    const error = await caught(
      clientOf(stage.projects[shape], { maxRetries: 2, fetch: counted.fetch }).chat.completions.create({
        model,
        messages,
      }),
    )
    expect(error).toMatchObject({ status: 502, code: 'provider_auth_error', type: 'server_error', param: null })
    expect(error.requestID).toMatch(uuid)
    expect(error.message).not.toContain('sk-client')
    expect(counted.sentAt).toHaveLength(1)
  })

  test('an upstream that is broken is asked again by the client', async () => {
    stage.answers(shape, errorResponse(shape, 500, 'oh'))
    const counted = countingFetch()
    const options = { maxRetries: 1, fetch: counted.fetch }
    const error = await caught(clientOf(stage.projects[shape], options).chat.completions.create({ model, messages }))
    expect(error).toMatchObject({ status: 502, code: 'provider_unavailable' })
    expect(counted.sentAt).toHaveLength(2)
  })

  test('a Retry-After is waited for', async () => {
    const counted = countingFetch()
    stage.saysAfterLimit(shape, 3)
    const patient = clientOf(stage.projects[shape], { maxRetries: 1, fetch: counted.fetch })
    const { choices } = await patient.chat.completions.create({ model, messages })
    expect(choices[0]?.message.content).toBe('Hello')
    expect(counted.sentAt).toHaveLength(2)
    expect(counted.waitedMs()).toBeGreaterThan(2_900)
  })
})

describe('what the gateway refuses, as the openai client says it', () => {
  const counted = () => {
    const counting = countingFetch()
    return { ...counting, options: { maxRetries: 2, fetch: counting.fetch } }
  }
  const ask = (project: ClientProject, options: ConstructorParameters<typeof OpenAI>[0], content = 'Hello') =>
    caught(clientOf(project, options).chat.completions.create({ model: 'any', messages: [{ role: 'user', content }] }))

  test('an expired token', async () => {
    const { options, sentAt } = counted()
    const project = stage.projects.openai
    const error = await ask({ ...project, token: stage.expiredToken(project) }, options)
    expect(error).toBeInstanceOf(OpenAI.AuthenticationError)
    expect(error.status).toBe(401)
    expect(error.requestID).toMatch(uuid)
    expect(sentAt).toHaveLength(1)
  })

  test('a kill switch', async () => {
    const { options, sentAt } = counted()
    const project = await stage.makeProject('openai')
    await stage.stop(project)
    const error = await ask(project, options)
    expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError)
    expect(sentAt).toHaveLength(1)
  })

  test('a provider without a key', async () => {
    const { options, sentAt } = counted()
    const error = await ask(await stage.makeProject('openai', { hasKey: false }), options)
    expect(error).toBeInstanceOf(OpenAI.UnprocessableEntityError)
    expect(error).toMatchObject({ code: 'provider_not_configured', type: 'invalid_request_error', param: 'model' })
    expect(error.message).toContain('OpenAI')
    expect(sentAt).toHaveLength(1)
  })

  test('a day that is used up is not asked for again, a full minute is', async () => {
    const spent = counted()
    const small = await stage.makeProject('openai', { settings: { tokens_per_day: 1000 } })
    const error = await ask(small, spent.options, 'word '.repeat(5_000))
    expect(error).toBeInstanceOf(OpenAI.RateLimitError)
    expect(error.headers?.get('x-should-retry')).toBe('false')
    expect(Number(error.headers?.get('retry-after'))).toBeGreaterThan(60)
    expect(spent.sentAt).toHaveLength(1)

    stage.says('openai', { text: ['Hello'] })
    const narrow = await stage.makeProject('openai', { settings: { rpm_limit: 1 } })
    const create = (client: OpenAI) => client.chat.completions.create({ model: 'any', messages })
    await create(clientOf(narrow))
    const full = await caught(create(clientOf(narrow)))
    expect(full).toBeInstanceOf(OpenAI.RateLimitError)
    expect(full.headers?.get('x-should-retry') ?? null).toBeNull()
    expect(Number(full.headers?.get('retry-after'))).toBeLessThanOrEqual(60)
    expect(full.headers?.get('x-ratelimit-remaining-requests')).toBe('0')
  })

  test('a body at fault names the field', async () => {
    const { options, sentAt } = counted()
    const wrong = [{ role: 'wizard', content: 'x' }] as unknown as ChatCompletionMessageParam[]
    const client = clientOf(stage.projects.openai, options)
    const error = await caught(client.chat.completions.create({ model: 'any', messages: wrong }))
    expect(error).toBeInstanceOf(OpenAI.BadRequestError)
    expect(error).toMatchObject({ type: 'invalid_request_error' })
    expect(error.param).toMatch(/^messages/)
    expect(sentAt).toHaveLength(1)
  })

  test('an overflow of the context', async () => {
    const body = {
      message: 'too long',
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    }
    stage.answers('openai', { status: 400, body: { error: body } })
    const error = await ask(stage.projects.openai, counted().options)
    expect(error).toMatchObject({ status: 400, code: 'context_length_exceeded' })
    expect(error.message).toContain('maximum context length')
  })
})

for (const shape of shapes) {
  describeWithSharedData(`recorded streams of ${shape} through the openai client`, 'fixtures', () => {
    const recorded = loadFixtures(shape).filter(isCompletedStream)
    test.for(recorded.map(fixture => [fixture.file, fixture] as const))(
      '%s',
      async ([, { response, expect: expected }]) => {
        stage.answers(shape, eventStream([response.sse ?? '']))
        const stream = clientOf(stage.projects[shape]).chat.completions.stream({ model: models[shape], messages })
        const { choices } = await stream.finalChatCompletion()
        for (const wanted of expected?.choices ?? []) {
          const choice = choices.find(({ index }) => index === wanted.index)
          expect(choice?.message.content ?? '').toBe(wanted.text)
          expect(wanted.finish_reason_any).toContain(choice?.finish_reason)
          expect(choice?.message.tool_calls?.map(nameAndArguments) ?? []).toEqual(wanted.tool_calls)
        }
      },
    )
  })
}

type Fixture = ReturnType<typeof loadFixtures>[number]

function isCompletedStream({ response, expect: expected }: Fixture): boolean {
  const isCut = expected?.choices?.some(({ finish_reason_any }) => finish_reason_any.includes(null)) ?? true
  return response.sse !== undefined && !isCut && expected?.stream_error === undefined
}

function nameAndArguments(call: { type: string; function?: { name: string; arguments: string } }) {
  return { name: call.function?.name, arguments: JSON.parse(call.function?.arguments || '{}') }
}

async function caught(promise: Promise<unknown>): Promise<InstanceType<typeof APIError>> {
  const outcome = await promise.then(
    () => null,
    (error: unknown) => error,
  )
  expect(outcome).toBeInstanceOf(APIError)
  return outcome as InstanceType<typeof APIError>
}
