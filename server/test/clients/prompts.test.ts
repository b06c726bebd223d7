// The official clients name a project's prompt by their own types, without casts, where the project requires one: this
// file is checked by the compiler, too.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import Anthropic from '@anthropic-ai/sdk'
import { generateText, streamText } from 'ai'
import OpenAI, { APIError } from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ClientProject, type ClientStage, models, shapes, startClientStage } from './client-stage.ts'

const tutor = {
  messages: [
    { role: 'system', content: 'You teach {{topic}}.' },
    { role: 'user', content: 'Begin with {{topic}}.' },
  ],
  variables: { topic: { type: 'string' } },
  params: { max_tokens: 300 },
}
const prompt = { id: 'tutor', variables: { topic: 'maths' } }
const said = 'I know nothing.'

let stage: ClientStage
let projects: Record<(typeof shapes)[number], ClientProject>
beforeAll(async () => {
  stage = await startClientStage()
  stage.upstream.on('POST /v1/messages/count_tokens', { body: { input_tokens: 9 } })
  const options = { settings: { client_prompts: 'required', memory_enabled: false }, prompts: { tutor } }
  projects = {
    openai: await stage.makeProject('openai', options),
    anthropic: await stage.makeProject('anthropic', options),
  }
})
afterAll(() => stage.end())

describe.each(shapes)('in front of %s', shape => {
  const openai = () => {
    const { baseURL, token } = projects[shape]
    return new OpenAI({ baseURL, apiKey: token, maxRetries: 0 })
  }
  const anthropic = () => {
    const { baseURL, token } = projects[shape]
    return new Anthropic({ baseURL: baseURL.replace(/\/v1$/, ''), authToken: token, apiKey: null, maxRetries: 0 })
  }
  const sallyport = () => {
    const { baseURL, token } = projects[shape]
    return createOpenAICompatible({ name: 'sallyport', baseURL, apiKey: token, includeUsage: true })
  }

  /** What the provider got of the last request. */
  const expectAsked = (others: readonly string[] = [said]) => {
    const asked = stage.sent(shape).at(-1)
    expect(JSON.stringify(asked)).toContain('You teach maths.')
    expect(asked).toMatchObject({ model: models[shape] })
    const { messages } = asked as { messages: { role: string; content: unknown }[] }
    const texts = messages.filter(({ role }) => role === 'user').map(({ content }) => JSON.stringify(content))
    for (const text of ['Begin with maths.', ...others]) expect(texts.join()).toContain(text)
    expect(asked?.['max_tokens'] ?? asked?.['max_completion_tokens']).toBe(300)
  }

  beforeAll(() => stage.says(shape, { text: ['Gut.'] }))

  test('the OpenAI client, chat completions, plain and streamed', async () => {
    const request = { model: 'default', messages: [], prompt }
    expect((await openai().chat.completions.create(request)).choices[0]?.message.content).toBe('Gut.')
    expectAsked([])
    const stream = await openai().chat.completions.create({
      model: 'default',
      messages: [{ role: 'user', content: said }],
      stream: true,
      ...{ prompt },
    })
    let text = ''
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? ''
    expect(text).toBe('Gut.')
    expectAsked()
  })

  test('the Anthropic client, plain and streamed', async () => {
    const metadata = { prompt, user_id: null }
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: said }]
    const request = { model: 'default', max_tokens: 300, messages, metadata }
    const message = await anthropic().messages.create(request)
    expect(message.content).toMatchObject([{ type: 'text', text: 'Gut.' }])
    expectAsked()
    expect(await anthropic().messages.stream(request).finalText()).toBe('Gut.')
    expectAsked()
    const { input_tokens } = await anthropic().messages.countTokens({ model: 'default', messages, ...{ metadata } })
    expect(input_tokens).toBeGreaterThan(0)
  })

  test('the AI SDK, plain and streamed', async () => {
    const asked = { model: sallyport()('default'), prompt: said, providerOptions: { sallyport: { prompt } } }
    expect((await generateText(asked)).text).toBe('Gut.')
    expectAsked()
    expect(await streamText(asked).text).toBe('Gut.')
    expectAsked()
  })

  test('a client that chooses itself is refused in words', async () => {
    const request = { model: models[shape], messages: [], prompt }
    const error = await openai()
      .chat.completions.create(request)
      .then(
        () => null,
        (reason: unknown) => reason,
      )
    expect(error).toBeInstanceOf(APIError)
    expect(error).toMatchObject({ status: 403, code: 'client_field_rejected', param: 'model' })
  })
})

test('the OpenAI client, responses: its own `prompt` needs nothing else', async () => {
  // This provider is asked in chat completions' or in its own format.
  const { baseURL, token } = projects.anthropic
  const openai = new OpenAI({ baseURL, apiKey: token, maxRetries: 0 })
  stage.says('anthropic', { text: ['Gut.'] })
  const named: OpenAI.Responses.ResponsePrompt = { ...prompt, version: '1' }
  expect((await openai.responses.create({ prompt: named })).output_text).toBe('Gut.')
  const asked = stage.sent('anthropic').at(-1)
  expect(asked).toMatchObject({ messages: [{ role: 'user' }], max_tokens: 300 })
  expect(JSON.stringify(asked)).toContain('Begin with maths.')
  const stream = await openai.responses.create({ prompt, input: said, stream: true })
  let text = ''
  for await (const event of stream) if (event.type === 'response.output_text.delta') text += event.delta
  expect(text).toBe('Gut.')
})
