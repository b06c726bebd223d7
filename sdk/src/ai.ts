// A transport for `useChat` of the Vercel AI SDK that calls the gateway from the page itself: no server of your own is
// needed. Knows text and images; imports nothing of the AI SDK.
import { createCompletions, type PromptChoice, type StreamedAnswer } from './completions.ts'
import type { GatewayFetchOptions } from './gateway-fetch.ts'

export interface ChatTransportOptions extends GatewayFetchOptions {
  /** By default the project's own. */
  model?: string
  /** A prompt of the project, to which the conversation is added. */
  prompt?: PromptChoice
}

interface ChatMessage {
  role: 'system' | 'user' | 'assistant'
  parts: { type: string; text?: string; mediaType?: string; url?: string }[]
}

interface SendOptions {
  messages: readonly object[]
  abortSignal: AbortSignal | undefined
  headers?: Record<string, string> | Headers
  /** Added to the request, such as `temperature`. */
  body?: object
}

type FinishReason = 'stop' | 'length' | 'content-filter' | 'other'

export type ChatChunk =
  | { type: 'start' | 'start-step' | 'finish-step' }
  | { type: 'text-start' | 'text-end'; id: string }
  | { type: 'text-delta'; id: string; delta: string }
  | { type: 'finish'; finishReason: FinishReason }

export interface SallyportChatTransport {
  sendMessages(options: SendOptions): Promise<ReadableStream<ChatChunk>>
  /** An answer ends with its request: there is none to go on with. */
  reconnectToStream(): Promise<null>
}

/** `useChat({ transport: createChatTransport({ baseUrl, tokenProvider }) })` */
export function createChatTransport(options: ChatTransportOptions): SallyportChatTransport {
  const { model, prompt } = options
  const send = createCompletions(options)
  return {
    async sendMessages({ messages, abortSignal, headers, body }) {
      const request = { model, prompt, ...body, messages: (messages as ChatMessage[]).map(toWire) }
      return toStream(toChunks(await send(request, { headers, signal: abortSignal })))
    },
    reconnectToStream: async () => null,
  }
}

/** Providers take a plain text from everybody, and parts from users alone. */
function toWire({ role, parts }: ChatMessage) {
  const images = parts.filter(({ type, mediaType }) => type === 'file' && mediaType?.startsWith('image/'))
  const text = parts.map(part => (part.type === 'text' ? (part.text ?? '') : '')).join('')
  if (images.length === 0) return { role, content: text }
  const sent = images.map(({ url }) => ({ type: 'image_url', image_url: { url } }))
  return { role, content: text === '' ? sent : [{ type: 'text', text }, ...sent] }
}

async function* toChunks(answer: StreamedAnswer): AsyncGenerator<ChatChunk, undefined> {
  const id = 'text'
  let isOpen = false
  let reason: FinishReason = 'other'
  yield { type: 'start' }
  yield { type: 'start-step' }
  for await (const { text, finishReason } of answer) {
    if (text !== '') {
      if (!isOpen) yield { type: 'text-start', id }
      isOpen = true
      yield { type: 'text-delta', id, delta: text }
    }
    if (finishReason !== null) reason = reasons[finishReason] ?? 'other'
  }
  if (isOpen) yield { type: 'text-end', id }
  yield { type: 'finish-step' }
  yield { type: 'finish', finishReason: reason }
}

const reasons: Record<string, FinishReason> = { stop: 'stop', length: 'length', content_filter: 'content-filter' }

function toStream(chunks: AsyncGenerator<ChatChunk, undefined>): ReadableStream<ChatChunk> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await chunks.return(undefined)
    },
  })
}
