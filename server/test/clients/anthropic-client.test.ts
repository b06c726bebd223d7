// The official `@anthropic-ai/sdk` and the Vercel AI SDK's Anthropic provider against the product, in front of an
// OpenAI-shaped and an Anthropic-shaped provider.
import { createAnthropic } from '@ai-sdk/anthropic'
import Anthropic, { APIError } from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod'
import { generateText, isStepCount, streamText, tool } from 'ai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { breakOff, errorResponse, say } from '../support/simulated/provider-answers.ts'
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

const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Hello' }]
const { name, description, parameters } = weatherTool
const inputSchema = { ...parameters, required: [...parameters.required] }
const tools = [{ name, description, input_schema: inputSchema }]
const uuid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/
const usage = { input_tokens: 11, output_tokens: 7 }

let stage: ClientStage
beforeAll(async () => {
  stage = await startClientStage()
})
afterAll(() => stage.end())

/** The client adds the version segment itself. */
const addressOf = ({ baseURL }: ClientProject) => baseURL.replace(/\/v1$/, '')

function clientOf(project: ClientProject, options: ConstructorParameters<typeof Anthropic>[0] = {}) {
  return new Anthropic({ baseURL: addressOf(project), authToken: project.token, maxRetries: 0, ...options })
}

async function caught(promise: Promise<unknown>): Promise<InstanceType<typeof APIError>> {
  const error = await promise.then(() => null).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(APIError)
  return error as InstanceType<typeof APIError>
}

describe.each(shapes)('the anthropic client in front of %s', shape => {
  const client = () => clientOf(stage.projects[shape])
  const base = { model: 'any', max_tokens: 500, messages }

  test('a plain answer, with its usage and the request id, by both kinds of credential', async () => {
    stage.says(shape, { text: ['Grüße, ', '世界'] })
    const message = await client().messages.create(base)
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: 'Grüße, 世界' }],
      usage,
    })
    expect(message.id).toMatch(/^msg_/)
    expect(message._request_id).toMatch(uuid)
    const { token } = stage.projects[shape]
    const keyed = clientOf(stage.projects[shape], { apiKey: token, authToken: null })
    expect((await keyed.messages.create(base)).content).toHaveLength(1)
  })

  test('the list of models, page by page, and one of them, by x-api-key', async () => {
    const keyed = clientOf(stage.projects[shape], { apiKey: stage.projects[shape].token, authToken: null })
    const page = await keyed.models.list({ limit: 1 })
    expect([page.data.length, page.has_more]).toEqual([1, true])
    const ids: string[] = []
    for await (const { id } of keyed.models.list({ limit: 5 })) ids.push(id)
    expect(ids.length).toBeGreaterThan(5)
    expect(new Set(ids).size).toBe(ids.length)
    expect((await keyed.models.retrieve(ids[0] ?? '')).id).toBe(ids[0])
  })

  test('a streamed answer through the stream helper', async () => {
    stage.says(shape, { text: ['Grüße, ', '世', '界'] })
    const stream = client().messages.stream(base)
    const pieces: string[] = []
    stream.on('text', piece => pieces.push(piece))
    const message = await stream.finalMessage()
    expect(pieces.join('')).toBe('Grüße, 世界')
    expect(pieces.length).toBeGreaterThan(1)
    expect(message).toMatchObject({ stop_reason: 'end_turn', content: [{ type: 'text', text: 'Grüße, 世界' }], usage })
    expect(stream.request_id).toMatch(uuid)
  })

  test.each([false, true])('parallel tool calls and their results, streamed: %s', async isStreamed => {
    stage.says(shape, weatherCalls)
    const asked = { ...base, tools }
    const first = isStreamed
      ? await client().messages.stream(asked).finalMessage()
      : await client().messages.create(asked)
    expect(first.stop_reason).toBe('tool_use')
    const calls = first.content.filter(block => block.type === 'tool_use')
    expect(calls.map(({ input }) => input)).toEqual([{ city: 'Zürich' }, { city: 'Łódź' }])
    stage.says(shape, { text: ['Sunny'] })
    const results = calls.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: `sun ${id}` }))
    const turns: Anthropic.MessageParam[] = [
      ...messages,
      { role: 'assistant', content: first.content },
      { role: 'user', content: results },
    ]
    const second = await client().messages.create({ ...asked, messages: turns })
    expect(second.content).toMatchObject([{ type: 'text', text: 'Sunny' }])
    for (const { id } of calls) expect(JSON.stringify(stage.sent(shape).at(-1))).toContain(`sun ${id}`)
  })

  test.each([false, true])('the tool runner, streamed: %s', async isStreamed => {
    const asked: string[] = []
    const weather = betaTool({
      name,
      description,
      inputSchema,
      run: ({ city }) => {
        asked.push(city)
        return `sun in ${city}`
      },
    })
    stage.answers(shape, ({ body }) => {
      const said = body.includes('sun in') ? { text: ['Sunny'] } : weatherCalls
      return say(shape, said, JSON.parse(body).stream === true)
    })
    const runner = client().beta.messages.toolRunner({ ...base, tools: [weather], stream: isStreamed })
    const last = await runner.runUntilDone()
    expect(last.content).toMatchObject([{ type: 'text', text: 'Sunny' }])
    expect(asked.toSorted()).toEqual(['Zürich', 'Łódź'].toSorted())
  })

  test('structured output', async () => {
    const format = zodOutputFormat(z.object({ city: z.string(), degrees: z.number() }))
    stage.says(shape, { text: ['{"city":"Łódź",', '"degrees":21}'] })
    const parsed = await client().messages.parse({ ...base, output_config: { format } })
    expect(parsed.parsed_output).toEqual({ city: 'Łódź', degrees: 21 })
    expect(JSON.stringify(stage.sent(shape).at(-1))).toContain('degrees')
  })

  test('the tokens of a prompt', async () => {
    stage.upstream.on('POST /v1/messages/count_tokens', { body: { input_tokens: 14 } })
    const { max_tokens: _, ...prompt } = base
    const { input_tokens: tokens } = await client().messages.countTokens({ ...prompt, tools })
    if (shape === 'anthropic') expect(tokens).toBe(14)
    else expect(tokens).toBeGreaterThan(10)
  })

  test.each([1, 2, 3])('a stream that the provider cuts after %i events is an error, not an answer', async kept => {
    stage.answers(shape, () => breakOff(shape, { text: ['Hel', 'lo'] }, kept))
    const error = await caught(client().messages.stream(base).finalMessage())
    expect(error.type).toBe('api_error')
  })

  test('an upstream that refuses the key is told once', async () => {
    stage.answers(shape, errorResponse(shape, 401, 'Incorrect API key provided: sk-client'))
    const counted = countingFetch()
    const options = { maxRetries: 2, fetch: counted.fetch }
    const error = await caught(clientOf(stage.projects[shape], options).messages.create(base))
    expect(error).toMatchObject({ status: 502, type: 'api_error', errorCode: 'provider_auth_error' })
    expect(error.requestID).toMatch(uuid)
    expect(error.message).not.toContain('sk-client')
    expect(counted.sentAt).toHaveLength(1)
  })

  test('a Retry-After is waited for', async () => {
    const counted = countingFetch()
    stage.saysAfterLimit(shape, 3)
    const patient = clientOf(stage.projects[shape], { maxRetries: 1, fetch: counted.fetch })
    expect((await patient.messages.create(base)).content).toMatchObject([{ text: 'Hello' }])
    expect(counted.sentAt).toHaveLength(2)
    expect(counted.waitedMs()).toBeGreaterThan(2_900)
  })

  test('the AI SDK, whole and streamed, with tools in two steps', async () => {
    const { token } = stage.projects[shape]
    const provider = createAnthropic({ baseURL: stage.projects[shape].baseURL, authToken: token })
    const model = provider(models[shape])
    stage.says(shape, { text: ['Grüße, ', '世界'] })
    const whole = await generateText({ model, prompt: 'Hello' })
    expect(whole).toMatchObject({ text: 'Grüße, 世界', finishReason: 'stop' })
    expect(whole.usage).toMatchObject({ inputTokens: 11, outputTokens: 7 })
    const asked: string[] = []
    const getWeather = tool({
      description,
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => {
        asked.push(city)
        return `sun in ${city}`
      },
    })
    stage.answers(shape, ({ body }) => {
      const said = body.includes('sun in') ? { text: ['Sunny'] } : weatherCalls
      return say(shape, said, JSON.parse(body).stream === true)
    })
    const tools = { get_weather: getWeather }
    const streamed = streamText({ model, prompt: 'Weather?', tools, stopWhen: isStepCount(3) })
    expect(await streamed.text).toBe('Sunny')
    expect(asked.toSorted()).toEqual(['Zürich', 'Łódź'].toSorted())
  })
})

describe('what the gateway refuses, as the anthropic client says it', () => {
  const ask = (project: ClientProject, content = 'Hello', options = {}) =>
    caught(
      clientOf(project, options).messages.create({
        model: 'any',
        max_tokens: 100,
        messages: [{ role: 'user', content }],
      }),
    )

  test('an expired token', async () => {
    const project = stage.projects.openai
    const error = await ask({ ...project, token: stage.expiredToken(project) })
    expect(error).toBeInstanceOf(Anthropic.AuthenticationError)
    expect(error).toMatchObject({ status: 401, type: 'authentication_error' })
    expect(error.requestID).toMatch(uuid)
  })

  test('a stopped project', async () => {
    const own = await stage.makeProject('openai')
    await stage.stop(own)
    const error = await ask(own)
    expect(error).toMatchObject({ status: 403, type: 'permission_error', errorCode: 'service_disabled' })
  })

  test('a used-up day is told once', async () => {
    const counted = countingFetch()
    const small = await stage.makeProject('openai', { settings: { tokens_per_day: 1000 } })
    const error = await ask(small, 'word '.repeat(5_000), { maxRetries: 2, fetch: counted.fetch })
    expect(error).toBeInstanceOf(Anthropic.RateLimitError)
    expect(error.type).toBe('rate_limit_error')
    expect(counted.sentAt).toHaveLength(1)
  })

  test('an overflow of the context begins with the phrase that clients look for', async () => {
    const body = {
      message: 'too long',
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    }
    stage.answers('openai', { status: 400, body: { error: body } })
    const error = await ask(stage.projects.openai)
    expect(error.apiMessage).toMatch(/^prompt is too long: /)
    const overflow = 'prompt is too long: 210000 tokens > 200000 maximum'
    stage.answers('anthropic', {
      status: 400,
      body: { type: 'error', error: { type: 'invalid_request_error', message: overflow } },
    })
    expect((await ask(stage.projects.anthropic)).apiMessage).toBe(overflow)
  })
})
