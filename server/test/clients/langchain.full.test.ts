// LangChain.js with its OpenAI chat model against the product, in front of an OpenAI-shaped and an Anthropic-shaped
// provider. It leaves x-should-retry unread, so how often it asks is not ours to say.
import { type AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { createTokenProvider, openaiOptions } from '@sallyport/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { breakOff, errorResponse } from '../support/simulated/provider-answers.ts'
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

const weather = z.object({ city: z.string(), degrees: z.number() })
const tools = [{ type: 'function' as const, function: weatherTool }]

let stage: ClientStage
beforeAll(async () => {
  stage = await startClientStage()
})
afterAll(() => stage.end())

function chatOf(
  { baseURL, token }: ClientProject,
  model: string,
  more: { fetch?: typeof fetch; maxRetries?: number } = {},
) {
  const { maxRetries = 0, fetch: fetchWith = fetch } = more
  return new ChatOpenAI({ model, apiKey: token, maxRetries, configuration: { baseURL, fetch: fetchWith } })
}

describe.each(shapes)('LangChain in front of %s', shape => {
  const chat = () => chatOf(stage.projects[shape], models[shape])
  const usage = { input_tokens: 11, output_tokens: 7, total_tokens: 18 }

  test('a plain answer', async () => {
    stage.says(shape, { text: ['Grüße, ', '世界'] })
    const answer = await chat().invoke('Hello')
    expect(answer.content).toBe('Grüße, 世界')
    expect(answer.usage_metadata).toMatchObject(usage)
    expect(answer.response_metadata['finish_reason']).toBe('stop')
  })

  test('a streamed answer, with its usage', async () => {
    stage.says(shape, { text: ['Grüße, ', '世', '界'] })
    const { whole, count } = await gather(await chat().stream('Hello'))
    expect(whole?.content).toBe('Grüße, 世界')
    expect(count).toBeGreaterThan(2)
    expect(whole?.usage_metadata).toMatchObject(usage)
    expect(whole?.response_metadata['finish_reason']).toBe('stop')
  })

  test.each(['plain', 'streamed'])('parallel tools and their results, %s', async way => {
    stage.says(shape, weatherCalls)
    const armed = chat().bindTools(tools)
    const answer = way === 'plain' ? await armed.invoke('Hello') : (await gather(await armed.stream('Hello'))).whole
    expect(answer?.tool_calls?.map(({ name, args }) => ({ name, args }))).toEqual([
      { name: 'get_weather', args: { city: 'Zürich' } },
      { name: 'get_weather', args: { city: 'Łódź' } },
    ])
    expect(answer?.response_metadata['finish_reason']).toBe('tool_calls')
    if (answer === undefined) return
    stage.says(shape, { text: ['Sunny'] })
    const results = (answer.tool_calls ?? []).map(
      ({ id, args }) => new ToolMessage({ tool_call_id: id ?? '', content: `sun over ${String(args['city'])}` }),
    )
    const after = await armed.invoke([new HumanMessage('Hello'), answer, ...results])
    expect(after.content).toBe('Sunny')
    expect(JSON.stringify(stage.sent(shape).at(-1))).toContain('sun over Łódź')
  })

  test.each(['jsonSchema', 'functionCalling'] as const)('structured output by %s', async method => {
    const text = ['{"city":"Łódź",', '"degrees":21}']
    const call = { id: 'call_1', name: 'weather', pieces: text }
    stage.says(shape, method === 'jsonSchema' ? { text } : { calls: [call] })
    const structured = chat().withStructuredOutput(weather, { name: 'weather', method })
    expect(await structured.invoke('Hello')).toEqual({ city: 'Łódź', degrees: 21 })
    expect(JSON.stringify(stage.sent(shape).at(-1))).toContain('degrees')
  })

  test.each([2, 3])('a stream that the provider cuts after %i events is an error, not an answer', async kept => {
    stage.answers(shape, () => breakOff(shape, { text: ['Hel', 'lo'] }, kept))
    const error = await caught(async () => gather(await chat().stream('Hello')))
    expect(error).toMatchObject({ code: 'provider_unavailable' })
  })

  test('an upstream that refuses the key', async () => {
    stage.answers(shape, errorResponse(shape, 401, 'Incorrect API key provided: sk-client'))
    const error = await caught(() => chat().invoke('Hello'))
    expect(error).toMatchObject({ status: 502, code: 'provider_auth_error' })
    expect(error.message).not.toContain('sk-client')
  })

  test('a Retry-After is waited for', async () => {
    const counted = countingFetch()
    stage.saysAfterLimit(shape, 3)
    const patient = chatOf(stage.projects[shape], models[shape], { fetch: counted.fetch, maxRetries: 1 })
    expect((await patient.invoke('Hello')).content).toBe('Hello')
    expect(counted.sentAt).toHaveLength(2)
    expect(counted.waitedMs()).toBeGreaterThan(2_900)
  })
})

test('the options of the SDK, as the guide has them: a rejected token is minted again', async () => {
  const { baseURL, token } = stage.projects.openai
  const loads: boolean[] = []
  const tokenProvider = createTokenProvider(({ isRejected }) => {
    loads.push(isRejected)
    return isRejected ? token : stage.expiredToken(stage.projects.openai)
  })
  const configuration = openaiOptions({ baseUrl: baseURL.replace(/\/v1$/, ''), tokenProvider })
  const chat = new ChatOpenAI({ model: 'openai/gpt-4o-mini', apiKey: 'none', configuration })
  stage.says('openai', { text: ['Grüße, ', '世界'] })
  const { whole } = await gather(await chat.stream('Hello'))
  expect(whole?.text).toBe('Grüße, 世界')
  expect(loads).toEqual([false, true])
})

describe('what the gateway refuses, as LangChain says it', () => {
  /** With retries, to see which refusals it takes for final. */
  const ask = async (project: ClientProject, words = 'Hello') => {
    const counted = countingFetch()
    const chat = chatOf(project, 'any', { fetch: counted.fetch, maxRetries: 2 })
    const error = await caught(() => chat.invoke(words))
    return { error, times: counted.sentAt.length }
  }

  test('an expired token', async () => {
    const project = stage.projects.openai
    const { error, times } = await ask({ ...project, token: stage.expiredToken(project) })
    expect(error).toMatchObject({ status: 401, lc_error_code: 'MODEL_AUTHENTICATION' })
    expect(times).toBe(1)
  })

  test('a kill switch', async () => {
    const project = await stage.makeProject('openai')
    await stage.stop(project)
    const { error, times } = await ask(project)
    expect(error).toMatchObject({ status: 403 })
    expect(times).toBe(1)
  })

  test('a provider without a key', async () => {
    const { error } = await ask(await stage.makeProject('openai', { hasKey: false }))
    expect(error).toMatchObject({ status: 422, code: 'provider_not_configured' })
    expect(error.message).toContain('OpenAI')
  })

  test('a used-up day is not asked for again', async () => {
    const small = await stage.makeProject('openai', { settings: { tokens_per_day: 1000 } })
    const { error, times } = await ask(small, 'word '.repeat(5_000))
    expect(error).toMatchObject({ status: 429 })
    expect(times).toBe(1)
  })

  test('an overflow of the context is one for it', async () => {
    const body = {
      message: 'too long',
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    }
    stage.answers('openai', { status: 400, body: { error: body } })
    const { error, times } = await ask(stage.projects.openai)
    expect(error.name).toBe('ContextOverflowError')
    expect(times).toBe(1)
  })

  test('an unknown model', async () => {
    const body = { message: 'no', type: 'invalid_request_error', param: null, code: 'model_not_found' }
    stage.answers('openai', { status: 404, body: { error: body } })
    const { error, times } = await ask(stage.projects.openai)
    expect(error).toMatchObject({ status: 404, lc_error_code: 'MODEL_NOT_FOUND' })
    expect(times).toBe(1)
  })
})

async function gather(stream: AsyncIterable<AIMessageChunk>) {
  let whole: AIMessageChunk | undefined
  let count = 0
  for await (const chunk of stream) {
    whole = whole === undefined ? chunk : whole.concat(chunk)
    count++
  }
  return { whole, count }
}

async function caught(work: () => Promise<unknown>): Promise<Error> {
  const outcome = await work().then(
    () => null,
    (error: unknown) => error,
  )
  if (!(outcome instanceof Error)) throw new Error(`no error: ${String(outcome)}`)
  return outcome
}
