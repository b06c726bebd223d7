// Completions without a client library: what is sent, the parts of an answer, and how it fails.
import { expect, test } from 'vitest'
import { createCompletions } from '../src/completions.ts'
import { type Answering, startAnswering } from './answering-server.ts'

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const piece = (content: string, finish_reason: string | null = null) =>
  data({ choices: [{ index: 0, delta: { content }, finish_reason }] })
const headers = { 'content-type': 'text/event-stream', 'x-request-id': 'request-1', 'x-sallyport-model': 'openai/a' }

async function open(answering: Answering) {
  const { url, received } = await startAnswering(answering)
  return { send: createCompletions({ baseUrl: url, tokenProvider: () => ({ token: 'token-1', ttl: 600 }) }), received }
}

test('an answer comes in parts, of which the last have the reason of the end and the usage', async () => {
  const usage = data({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } })
  const body = `: ping\n\n${piece('Grü')}${piece('ße', 'stop')}${usage}data: [DONE]\n\n`
  const { send, received } = await open(() => ({ headers, body }))
  const answer = await send({ prompt: { id: 'chat' }, temperature: 0 })
  expect([answer.model, answer.requestId]).toEqual(['openai/a', 'request-1'])
  expect(await Array.fromAsync(answer)).toEqual([
    { text: 'Grü', finishReason: null, usage: null },
    { text: 'ße', finishReason: 'stop', usage: null },
    { text: '', finishReason: null, usage: { promptTokens: 3, completionTokens: 2, totalTokens: 5 } },
  ])
  expect(received[0]).toMatchObject({ url: '/v1/chat/completions', headers: { authorization: 'Bearer token-1' } })
  expect(JSON.parse(received[0]?.body ?? '')).toEqual({
    prompt: { id: 'chat' },
    temperature: 0,
    messages: [],
    stream: true,
    stream_options: { include_usage: true },
  })
})

test('a refusal, and a failure after the beginning, are errors in the gateway’s words', async () => {
  const refusal = { status: 403, body: { error: 'forbidden', message: 'Service disabled by kill switch' } }
  const failure = data({ error: { message: 'The provider broke off', code: 'provider_unavailable' } })
  const { send } = await open((_, at) => (at === 0 ? refusal : { headers, body: piece('Grü') + failure }))
  await expect(send({})).rejects.toMatchObject({ status: 403, message: 'Service disabled by kill switch' })
  const texts: string[] = []
  const reading = (async () => {
    for await (const { text } of await send({})) texts.push(text)
  })()
  const code = 'provider_unavailable'
  await expect(reading).rejects.toMatchObject({ message: 'The provider broke off', code, requestId: 'request-1' })
  expect(texts).toEqual(['Grü'])
})

test('a lost connection is an error to retry, an end by the signal has its reason', async () => {
  const { send } = await open((_, at) => (at === 0 ? 'cut' : 'silence'))
  await expect(send({})).rejects.toMatchObject({ name: 'SallyportError', code: 'UNREACHABLE', retryable: true })
  const controller = new AbortController()
  const sent = send({}, { signal: controller.signal })
  controller.abort(new Error('enough'))
  await expect(sent).rejects.toThrow('enough')
})

test('a line that comes in thousands of pieces takes time in proportion to its length', async () => {
  const text = 'x'.repeat(16_000_000)
  const bytes = new TextEncoder().encode(piece(text))
  const pieces = new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 4_000) controller.enqueue(bytes.subarray(at, at + 4_000))
      controller.close()
    },
  })
  const fetch = async () => new Response(pieces, { headers })
  const tokenProvider = () => ({ token: 'token-1', ttl: 600 })
  const send = createCompletions({ baseUrl: 'http://gateway.example', tokenProvider, fetch })
  const before = process.cpuUsage()
  const parts = await Array.fromAsync(await send({}))
  const { user } = process.cpuUsage(before)
  expect(parts.map(part => part.text.length)).toEqual([text.length])
  // Searching what came before again with each piece takes ten seconds.
  expect(user).toBeLessThan(2_000_000)
})
