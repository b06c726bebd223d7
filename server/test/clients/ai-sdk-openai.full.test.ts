// The Vercel AI SDK with its OpenAI provider, as its users set it up: its default models speak the Responses API, those
// of `.chat` chat completions. Another provider than OpenAI answers the former, so that nothing passes unread.
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, isStepCount, Output, streamText, tool } from 'ai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { breakOff } from '../support/simulated/provider-answers.ts'
import { type ClientStage, models, startClientStage, weatherCalls } from './client-stage.ts'

const prompt = 'Hello'
const usage = { inputTokens: 11, outputTokens: 7, totalTokens: 18 }

let stage: ClientStage
beforeAll(async () => {
  stage = await startClientStage()
})
afterAll(() => stage.end())

const kinds = [
  { kind: 'default', shape: 'anthropic' },
  { kind: 'chat', shape: 'openai' },
] as const

describe.each(kinds)('a $kind model in front of $shape', ({ kind, shape }) => {
  const model = () => {
    const { baseURL, token } = stage.projects[shape]
    const provider = createOpenAI({ baseURL, apiKey: token })
    return kind === 'default' ? provider(models[shape]) : provider.chat(models[shape])
  }

  test('a plain answer', async () => {
    stage.says(shape, { text: ['Grüße, ', '世界'] })
    const { text, finishReason, usage: counted } = await generateText({ model: model(), prompt })
    expect({ text, finishReason }).toEqual({ text: 'Grüße, 世界', finishReason: 'stop' })
    expect(counted).toMatchObject(usage)
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
    expect(asked.sort()).toEqual(['Zürich', 'Łódź'])
    const sent = JSON.stringify(stage.sent(shape).at(-1))
    for (const city of asked) expect(sent).toContain(`sun over ${city}`)
  })

  test('structured output', async () => {
    stage.says(shape, { text: ['{"city":"Łódź",', '"degrees":21}'] })
    const schema = z.object({ city: z.string(), degrees: z.number() })
    const { output } = await generateText({ model: model(), prompt, output: Output.object({ schema }) })
    expect(output).toEqual({ city: 'Łódź', degrees: 21 })
  })

  test('a stream that the provider cuts is an error, not an answer', async () => {
    stage.answers(shape, () => breakOff(shape, { text: ['Hel', 'lo'] }, 3))
    const errors: unknown[] = []
    const onError = ({ error }: { error: unknown }) => void errors.push(error)
    await streamText({ model: model(), prompt, maxRetries: 0, onError }).consumeStream()
    expect(JSON.stringify(errors)).toContain("The provider's stream broke off")
  })
})
