// A transport for `useChat` of the Vercel AI SDK that calls the gateway from the page itself: no server of your own is
// needed. Knows text and images; imports nothing of the AI SDK.
import { readBaseUrl } from './gateway-address.ts'
import { createGatewayFetch, type GatewayFetchOptions } from './gateway-fetch.ts'
import { errorFromFailure, errorFromResponse, parseJson, readErrorWords, toRecord } from './sallyport-error.ts'

export interface ChatTransportOptions extends GatewayFetchOptions {
  /** By default the project's own. */
  model?: string
  /** A prompt of the project, to which the conversation is added. */
  prompt?: { id: string; version?: string; variables?: Record<string, string | number> }
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
  | { type: 'error'; errorText: string }
  | { type: 'finish'; finishReason: FinishReason }

export interface SallyportChatTransport {
  sendMessages(options: SendOptions): Promise<ReadableStream<ChatChunk>>
  /** An answer ends with its request: there is none to go on with. */
  reconnectToStream(): Promise<null>
}

/** `useChat({ transport: createChatTransport({ baseUrl, tokenProvider }) })` */
export function createChatTransport(options: ChatTransportOptions): SallyportChatTransport {
  const { model, prompt } = options
  const send = createGatewayFetch(options)
  const url = `${readBaseUrl(options.baseUrl)}/v1/chat/completions`
  return {
    async sendMessages({ messages, abortSignal, headers, body }) {
      const request = { model, prompt, ...body, stream: true, messages: (messages as ChatMessage[]).map(toWire) }
      const all = new Headers(headers)
      all.set('content-type', 'application/json')
      const init = { method: 'POST', headers: all, body: JSON.stringify(request), signal: abortSignal ?? null }
      const response = await send(url, init).catch((cause: unknown) => {
        throw abortSignal?.aborted ? cause : errorFromFailure(cause)
      })
      if (!response.ok || response.body === null) throw errorFromResponse(response, await response.text())
      return toStream(toChunks(response.body))
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

async function* toChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<ChatChunk, undefined> {
  const id = 'text'
  let isOpen = false
  let finishReason: FinishReason = 'other'
  yield { type: 'start' }
  yield { type: 'start-step' }
  for await (const event of readEvents(body)) {
    if (event['error'] !== undefined) {
      yield { type: 'error', errorText: readErrorWords(event).message ?? 'The answer broke off' }
      return
    }
    const [choice] = Array.isArray(event['choices']) ? event['choices'] : []
    const { delta, finish_reason } = toRecord(choice)
    const text = toRecord(delta)['content']
    if (typeof text === 'string' && text !== '') {
      if (!isOpen) yield { type: 'text-start', id }
      isOpen = true
      yield { type: 'text-delta', id, delta: text }
    }
    if (typeof finish_reason === 'string') finishReason = reasons[finish_reason] ?? 'other'
  }
  if (isOpen) yield { type: 'text-end', id }
  yield { type: 'finish-step' }
  yield { type: 'finish', finishReason }
}

const reasons: Record<string, FinishReason> = { stop: 'stop', length: 'length', content_filter: 'content-filter' }

/** The data of the events, until `[DONE]`. */
async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<Record<string, unknown>> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.startsWith('data: {')) yield toRecord(parseJson(line.slice(6)))
    }
  } finally {
    // Ends the request, too, if nobody reads on.
    await reader.cancel().catch(() => undefined)
  }
}

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
