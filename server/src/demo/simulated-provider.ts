// A simulated provider: an OpenAI-shaped server that answers with fixed texts, for a first try without an API key.
// Every answer must be labelled as simulated.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface SimulatedProvider {
  /** Up to and including the version segment. */
  baseUrl: string
  close(): Promise<void>
}

interface CompletionBody {
  model?: string
  stream?: boolean
  messages?: { role: string; content: unknown }[]
}

const wordMs = 40

export async function startSimulatedProvider(): Promise<SimulatedProvider> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return { baseUrl: `http://127.0.0.1:${port}/v1`, close: () => closeServer(server) }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await readText(request)
  if (request.url === '/v1/models') return reply(response, { object: 'list', data: [] })
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    response.statusCode = 404
    return reply(response, {
      error: { message: 'Not simulated', type: 'invalid_request_error', param: null, code: null },
    })
  }
  const body: CompletionBody = JSON.parse(text)
  const words = wordsFor(body)
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

function wordsFor({ messages = [] }: CompletionBody): string[] {
  const last = messages.findLast(({ role }) => role === 'user')?.content
  const said = typeof last === 'string' ? last.slice(0, 200) : 'something that is no text'
  const text = `(simulated answer) No model was asked. You said: “${said}”. It went through the whole gateway and back.`
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
