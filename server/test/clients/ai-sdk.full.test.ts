// The Vercel AI SDK with its OpenAI-compatible provider against the product, in front of an OpenAI-shaped and an
// Anthropic-shaped provider. It retries by status alone, so how often it asks is not ours to say.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, generateText, isStepCount, Output, streamText, tool } from 'ai'
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

const prompt = 'Hello'
const weather = z.object({ city: z.string(), degrees: z.number() })
const uuid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/

let stage: ClientStage
beforeAll(async () => {
  stage = await startClientStage()
})
afterAll(() => stage.end())

function modelOf({ baseURL, token }: ClientProject, model: string, more: { fetch?: typeof fetch } = {}) {
  const options = { name: 'sallyport', baseURL, apiKey: token, includeUsage: true, supportsStructuredOutputs: true }
  return createOpenAICompatible({ ...options, ...more })(model)
}

describe.each(shapes)('the AI SDK in front of %s', shape => {
  const model = () => modelOf(stage.projects[shape], models[shape])
  const usage = { inputTokens: 11, outputTokens: 7, totalTokens: 18 }

  test('a plain answer', async () => {
    stage.says(shape, { text: ['Grüße, ', '世界'] })
    const { text, finishReason, usage: counted, response } = await generateText({ model: model(), prompt })
    expect({ text, finishReason }).toEqual({ text: 'Grüße, 世界', finishReason: 'stop' })
    expect(counted).toMatchObject(usage)
    expect(response.headers?.['x-request-id']).toMatch(uuid)
  })

  test('a streamed answer, with its usage', async () => {
    stage.says(shape, { text: ['Grüße, ', '世', '界'] })
    const result = streamText({ model: model(), prompt })
    const pieces: string[] = []
    for await (const piece of result.textStream) pieces.push(piece)
    expect(pieces.join('')).toBe('Grüße, 世界')
    expect(pieces.length).toBeGreaterThan(1)
    expect(await result.finishReason).toBe('stop')
    expect(await result.totalUsage).toMatchObject(usage)
  })

  test.each(['plain', 'streamed'])('two steps with parallel tools, %s', async way => {
    stage.says(shape, weatherCalls)
    const asked: string[] = []
    const getWeather = tool({
      description: 'The weather of a place',
      inputSchema: z.object({ city: z.string() }),
      execute({ city }) {
        asked.push(city)
        if (asked.length === 2) stage.says(shape, { text: ['Sunny'] })
        return `sun over ${city}`
      },
    })
    const request = { model: model(), prompt, tools: { get_weather: getWeather }, stopWhen: isStepCount(3) }
    const result = way === 'plain' ? await generateText(request) : streamText(request)
    expect(await result.text).toBe('Sunny')
    expect((await result.steps).map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop'])
    expect(asked.sort()).toEqual(['Zürich', 'Łódź'])
    const sent = JSON.stringify(stage.sent(shape).at(-1))
    for (const city of asked) expect(sent).toContain(`sun over ${city}`)
  })

  test.each(['plain', 'streamed'])('structured output, %s', async way => {
    stage.says(shape, { text: ['{"city":"Łódź",', '"degrees":21}'] })
    const request = { model: model(), prompt, output: Output.object({ schema: weather }) }
    const output = way === 'plain' ? (await generateText(request)).output : await streamText(request).output
    expect(output).toEqual({ city: 'Łódź', degrees: 21 })
    expect(JSON.stringify(stage.sent(shape).at(-1))).toContain('degrees')
  })

  test.each([2, 3])('a stream that the provider cuts after %i events is an error, not an answer', async kept => {
    stage.answers(shape, () => breakOff(shape, { text: ['Hel', 'lo'] }, kept))
    const errors: unknown[] = []
    const result = streamText({
      model: model(),
      prompt,
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
    })
    await result.consumeStream()
    expect(errors).toHaveLength(1)
    expect(JSON.stringify(errors[0])).toContain("The provider's stream broke off")
  })

  test('an upstream that refuses the key', async () => {
    stage.answers(shape, errorResponse(shape, 401, 'Incorrect API key provided: sk-client'))
    const error = await caught(generateText({ model: model(), prompt, maxRetries: 0 }))
    expect(error.statusCode).toBe(502)
    expect(error.message).toBe('The provider refused the key')
    expect(error.data).toMatchObject({ error: { code: 'provider_auth_error', type: 'server_error' } })
    expect(error.responseHeaders?.['x-should-retry']).toBe('false')
    expect(error.responseHeaders?.['x-request-id']).toMatch(uuid)
  })

  test('a Retry-After is waited for', async () => {
    const counted = countingFetch()
    stage.saysAfterLimit(shape, 3)
    const patient = modelOf(stage.projects[shape], models[shape], counted)
    expect((await generateText({ model: patient, prompt, maxRetries: 1 })).text).toBe('Hello')
    expect(counted.sentAt).toHaveLength(2)
    expect(counted.waitedMs()).toBeGreaterThan(2_900)
  })
})

describe('what the gateway refuses, as the AI SDK says it', () => {
  const ask = async (project: ClientProject, words = prompt) => {
    const counted = countingFetch()
    const error = await caught(generateText({ model: modelOf(project, 'any', counted), prompt: words, maxRetries: 0 }))
    return { error, times: counted.sentAt.length }
  }

  test('an expired token and a kill switch, in the words of the gateway', async () => {
    const project = await stage.makeProject('openai')
    const expired = await ask({ ...project, token: stage.expiredToken(project) })
    expect(expired.error).toMatchObject({ statusCode: 401, isRetryable: false })
    expect(JSON.parse(expired.error.responseBody ?? '')).toMatchObject({ error: 'unauthorized' })
    await stage.stop(project)
    const stopped = await ask(project)
    expect(stopped.error).toMatchObject({ statusCode: 403, isRetryable: false })
    expect(JSON.parse(stopped.error.responseBody ?? '')).toEqual({
      error: 'forbidden',
      message: 'Service disabled by kill switch',
    })
  })

  test('a provider without a key', async () => {
    const { error } = await ask(await stage.makeProject('openai', { hasKey: false }))
    expect(error).toMatchObject({ statusCode: 422, isRetryable: false })
    expect(error.message).toContain('OpenAI')
    expect(error.data).toMatchObject({ error: { code: 'provider_not_configured', param: 'model' } })
  })

  test('a used-up day', async () => {
    const small = await stage.makeProject('openai', { settings: { tokens_per_day: 1000 } })
    const { error, times } = await ask(small, 'word '.repeat(5_000))
    expect(error.statusCode).toBe(429)
    expect(error.responseHeaders?.['x-should-retry']).toBe('false')
    expect(Number(error.responseHeaders?.['retry-after'])).toBeGreaterThan(60)
    expect(times).toBe(1)
  })
})

async function caught(promise: PromiseLike<unknown>): Promise<APICallError> {
  const outcome: unknown = await promise.then(
    () => null,
    (error: unknown) => error,
  )
  if (!APICallError.isInstance(outcome)) throw new Error(`not an error of the call: ${String(outcome)}`)
  return outcome
}
