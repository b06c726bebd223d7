// A simulated provider: an OpenAI-shaped server that answers with fixed texts, for a first try without an API key. It
// records what reaches it. Every answer must be labelled as simulated.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface SimulatedProvider {
  /** Up to and including the version segment. */
  baseUrl: string
  /** The completions that have reached it. */
  received: ReceivedCompletions
  close(): Promise<void>
}

interface ReceivedCompletions {
  count: number
  /** The last user message of the latest one. */
  latestText: string
}

interface CompletionBody {
  model?: string
  stream?: boolean
  messages?: { role: string; content: unknown }[]
}

const wordMs = 40
const maxEchoedCharacters = 200
const maxCount = 1_000

export async function startSimulatedProvider(): Promise<SimulatedProvider> {
  const received = { count: 0, latestText: '' }
  const server = createServer((request, response) => {
    answer(request, response, received).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return { baseUrl: `http://127.0.0.1:${port}/v1`, received, close: () => closeServer(server) }
}

async function answer(request: IncomingMessage, response: ServerResponse, received: ReceivedCompletions) {
  const text = await readText(request)
  if (request.url === '/v1/models') return reply(response, { object: 'list', data: [] })
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    response.statusCode = 404
    return reply(response, {
      error: { message: 'Not simulated', type: 'invalid_request_error', param: null, code: null },
    })
  }
  const body: CompletionBody = JSON.parse(text)
  received.count += 1
  received.latestText = latestUserText(body)
  const words = wordsFor(received.latestText)
  const completion = {
    id: 'chatcmpl-simulated',
    created: Math.floor(Date.now() / 1000),
    model: body.model ?? 'simulated',
  }
  const usage = usageOf(text, words)
  if (body.stream !== true) {
    const message = { role: 'assistant', content: words.join(''), refusal: null }
    return reply(response, {
      ...completion,
      object: 'chat.completion',
      choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
      usage,
    })
  }
  await stream(response, completion, words, usage)
}

async function stream(response: ServerResponse, completion: object, words: readonly string[], usage: object) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const write = (fields: object) =>
    response.write(`data: ${JSON.stringify({ ...completion, object: 'chat.completion.chunk', ...fields })}\n\n`)
  const choice = (delta: object, finish_reason: string | null) => ({
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  })
  write(choice({ role: 'assistant', content: '' }, null))
  for (const content of words) {
    await sleep(wordMs)
    if (response.destroyed) return
    write(choice({ content }, null))
  }
  write(choice({}, 'stop'))
  write({ choices: [], usage })
  response.end('data: [DONE]\n\n')
}

function latestUserText({ messages = [] }: CompletionBody): string {
  const content = messages.findLast(({ role }) => role === 'user')?.content
  return typeof content === 'string' ? content : 'something that is not text'
}

/** An answer that quotes the message, or a long one for a message that asks to count. */
function wordsFor(message: string): string[] {
  const countTo = Math.min(Number(/^Count to (\d{1,6})\b/i.exec(message)?.[1] ?? 0), maxCount)
  if (countTo > 0) return ['(simulated answer) ', ...Array.from({ length: countTo }, (_, index) => `${index + 1} `)]
  const quoted = message.slice(0, maxEchoedCharacters)
  const text = `(simulated answer) No model was asked. You said: “${quoted}” It went through the whole gateway and back.`
  return text.match(/\S+\s*/g) ?? [text]
}

/** A fourth of the characters, in place of tokens. */
function usageOf(prompt: string, words: readonly string[]) {
  const prompt_tokens = Math.ceil(prompt.length / 4)
  const completion_tokens = words.length
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function reply(response: ServerResponse, body: unknown): void {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(body))
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  server.closeAllConnections()
  await closed
}
