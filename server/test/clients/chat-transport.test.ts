// The SDK's transport for `useChat`, with the class of the AI SDK that `useChat` is made of, against the product.
import { createChatTransport } from '@sallyport/sdk/ai'
import { AbstractChat, type ChatState, type ChatStatus, type ChatTransport, type UIMessage } from 'ai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openaiEvents } from '../support/simulated/provider-answers.ts'
import { type ClientProject, type ClientStage, startClientStage } from './client-stage.ts'

let stage: ClientStage
let project: ClientProject
beforeAll(async () => {
  stage = await startClientStage()
  project = await stage.makeProject('openai', {
    settings: { cors_origins: ['https://app.example.com'] },
    prompts: { pirate: { messages: [{ role: 'system', content: 'Answer as a pirate.' }] } },
  })
})
afterAll(() => stage?.end())

class State implements ChatState<UIMessage> {
  status: ChatStatus = 'ready'
  error: Error | undefined = undefined
  messages: UIMessage[] = []
  pushMessage = (message: UIMessage) => void this.messages.push(message)
  popMessage = () => void this.messages.pop()
  replaceMessage = (index: number, message: UIMessage) => void this.messages.splice(index, 1, message)
  snapshot = <T>(thing: T): T => structuredClone(thing)
}

class Chat extends AbstractChat<UIMessage> {
  constructor(transport: ChatTransport<UIMessage>) {
    super({ transport, state: new State() })
  }
}

function open(more: { token?: string; prompt?: { id: string } } = {}): Chat {
  const { token = project.token, ...rest } = more
  const baseUrl = project.baseURL.replace(/\/v1$/, '')
  return new Chat(createChatTransport({ baseUrl, tokenProvider: () => token, ...rest }))
}

const textsOf = ({ messages }: Chat) =>
  messages.map(({ role, parts }) => [role, parts.map(part => (part.type === 'text' ? part.text : '')).join('')])

test('a conversation with a prompt streams answers, and sends what was said before', async () => {
  stage.says('openai', { text: ['Grüße, ', '世界'] })
  const chat = open({ prompt: { id: 'pirate' } })
  await chat.sendMessage({ text: 'Hello' })
  await chat.sendMessage({ text: 'Again' }, { body: { temperature: 0 } })
  expect([chat.status, chat.error]).toEqual(['ready', undefined])
  const answer = ['assistant', 'Grüße, 世界']
  expect(textsOf(chat)).toEqual([['user', 'Hello'], answer, ['user', 'Again'], answer])
  expect(stage.sent('openai').at(-1)).toMatchObject({
    temperature: 0,
    messages: [
      { role: 'system', content: 'Answer as a pirate.' },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Grüße, 世界' },
      { role: 'user', content: 'Again' },
    ],
  })
})

test('an image is sent as OpenAI’s format has it', async () => {
  stage.says('openai', { text: ['A dot'] })
  const url = 'data:image/png;base64,iVBORw0KGgo='
  const file = { type: 'file' as const, mediaType: 'image/png', url }
  await open().sendMessage({ role: 'user', parts: [{ type: 'text', text: 'What is it?' }, file] })
  expect(stage.sent('openai').at(-1)?.['messages']).toMatchObject([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is it?' },
        { type: 'image_url', image_url: { url } },
      ],
    },
  ])
})

test('a refusal is the error of the chat, in the gateway’s words', async () => {
  const chat = open({ token: stage.expiredToken(project) })
  await chat.sendMessage({ text: 'Hello' })
  expect([chat.status, chat.error?.message]).toEqual(['error', expect.stringMatching(/expired/i)])
})

test('an answer that breaks off is an error, and what arrived stays', async () => {
  stage.answers('openai', {
    write(response) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const events = openaiEvents({ text: ['Grüße, ', '世界'] })
      const rest = events.findIndex(event => event.includes('世界'))
      for (const event of events.slice(0, rest)) response.write(event)
      setTimeout(() => response.destroy(), 50)
    },
  })
  const chat = open()
  await chat.sendMessage({ text: 'Hello' })
  expect(chat.status).toBe('error')
  expect(chat.error?.message).not.toBe('')
  expect(textsOf(chat).at(-1)).toEqual(['assistant', 'Grüße, '])
})

test('stop ends the answer without an error', async () => {
  stage.answers('openai', {
    write(response) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const events = openaiEvents({ text: ['Grüße, ', '世界'] })
      for (const event of events.slice(
        0,
        events.findIndex(each => each.includes('世界')),
      ))
        response.write(event)
    },
  })
  const chat = open()
  const sent = chat.sendMessage({ text: 'Hello' })
  await expect.poll(() => textsOf(chat).at(-1)).toEqual(['assistant', 'Grüße, '])
  await chat.stop()
  await sent
  expect([chat.status, chat.error]).toEqual(['ready', undefined])
})

test('the chunks are those of one text, and its request ends with the signal before the answer begins', async () => {
  stage.says('openai', { text: ['Grüße, ', '世界'] })
  const baseUrl = project.baseURL.replace(/\/v1$/, '')
  const transport = createChatTransport({ baseUrl, tokenProvider: () => project.token })
  const messages = [{ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }]
  const stream = await transport.sendMessages({ messages, abortSignal: undefined })
  expect(await Array.fromAsync(stream)).toEqual([
    { type: 'start' },
    { type: 'start-step' },
    { type: 'text-start', id: 'text' },
    { type: 'text-delta', id: 'text', delta: 'Grüße, ' },
    { type: 'text-delta', id: 'text', delta: '世界' },
    { type: 'text-end', id: 'text' },
    { type: 'finish-step' },
    { type: 'finish', finishReason: 'stop' },
  ])
  stage.answers('openai', { write: () => undefined })
  const controller = new AbortController()
  const sent = transport.sendMessages({ messages, abortSignal: controller.signal })
  controller.abort()
  await expect(sent).rejects.toMatchObject({ name: 'AbortError' })
})
