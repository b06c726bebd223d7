// Sends completions, and reads their answers piece by piece. An entry of its own: applications whose client library
// does this need none of it.
import { readBaseUrl } from './gateway-address.ts'
import { createGatewayFetch, type GatewayFetchOptions } from './gateway-fetch.ts'
import {
  errorFromFailure,
  errorFromResponse,
  parseJson,
  readErrorWords,
  SallyportError,
  toRecord,
} from './sallyport-error.ts'

/** A prompt of the project. */
export interface PromptChoice {
  id: string
  version?: string
  variables?: Record<string, string | number>
}

/** The fields of chat completions, such as `temperature`. */
export interface CompletionRequest {
  messages?: readonly object[]
  /** By default the project's own, or the prompt's. */
  model?: string | undefined
  /** Its messages precede those of the request. */
  prompt?: PromptChoice | undefined
  [field: string]: unknown
}

export interface AnswerUsage {
  promptTokens: number
  completionTokens: number
  totalTokens: number
}

export interface AnswerPart {
  /** What follows the parts before; may be empty. */
  text: string
  /** `stop`, `length`, `content_filter` or `tool_calls`, in one of the last parts; otherwise null. */
  finishReason: string | null
  /** In the last part, if the provider reports it; otherwise null. */
  usage: AnswerUsage | null
}

/** Can be read once. Leaving the loop ends the request. */
export interface StreamedAnswer extends AsyncIterable<AnswerPart> {
  /** The model that answers; null if the page may not read it. */
  model: string | null
  /** For `sendFeedback`, and for a search in the request log. */
  requestId: string | null
}

interface SendOptions {
  signal?: AbortSignal | undefined
  headers?: Record<string, string> | Headers | undefined
}

/** Throws a `SallyportError`, or the reason of the signal; so does reading the answer. */
export type SendCompletion = (request: CompletionRequest, options?: SendOptions) => Promise<StreamedAnswer>

/** `for await (const { text } of await send({ messages })) …` with `const send = createCompletions({ … })` */
export function createCompletions(options: GatewayFetchOptions): SendCompletion {
  const send = createGatewayFetch(options)
  const url = `${readBaseUrl(options.baseUrl)}/v1/chat/completions`
  return async (request, { signal, headers } = {}) => {
    const all = new Headers(headers)
    all.set('content-type', 'application/json')
    const { messages = [], ...rest } = request
    const body = { stream_options: { include_usage: true }, ...rest, messages, stream: true }
    const failWith = (cause: unknown): never => {
      throw signal?.aborted ? signal.reason : errorFromFailure(cause)
    }
    const init = { method: 'POST', headers: all, body: JSON.stringify(body), signal: signal ?? null }
    const response = await send(url, init).catch(failWith)
    if (!response.ok || response.body === null) throw errorFromResponse(response, await response.text())
    const events = readEvents(response.body)
    return {
      model: response.headers.get('x-sallyport-model'),
      requestId: response.headers.get('x-request-id'),
      async *[Symbol.asyncIterator]() {
        try {
          for await (const event of events) yield toPart(event, response)
        } catch (cause) {
          failWith(cause)
        }
      },
    }
  }
}

/** Throws if the event says that the answer failed after it began. */
function toPart(event: Record<string, unknown>, { status, headers }: Response): AnswerPart {
  if (event['error'] !== undefined) {
    const { message, code } = readErrorWords(event)
    throw new SallyportError(message ?? 'The answer broke off', {
      status,
      code,
      requestId: headers.get('x-request-id'),
    })
  }
  const [choice] = Array.isArray(event['choices']) ? event['choices'] : []
  const { delta, finish_reason } = toRecord(choice)
  const { content } = toRecord(delta)
  return {
    text: typeof content === 'string' ? content : '',
    finishReason: typeof finish_reason === 'string' ? finish_reason : null,
    usage: readUsage(event['usage']),
  }
}

function readUsage(usage: unknown): AnswerUsage | null {
  const { prompt_tokens, completion_tokens, total_tokens } = toRecord(usage)
  if (typeof total_tokens !== 'number') return null
  return { promptTokens: Number(prompt_tokens), completionTokens: Number(completion_tokens), totalTokens: total_tokens }
}

/** The data of the events, until `[DONE]`. */
async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<Record<string, unknown>> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  // The pieces of a line are joined once: a long one comes in many.
  let pieces: string[] = []
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const [first = '', ...others] = decoder.decode(value, { stream: true }).split('\n')
      pieces.push(first)
      const last = others.pop()
      if (last === undefined) continue
      const lines = [pieces.join(''), ...others]
      pieces = [last]
      for (const line of lines) if (line.startsWith('data: {')) yield toRecord(parseJson(line.slice(6)))
    }
  } finally {
    // Ends the request, too, if nobody reads on.
    await reader.cancel().catch(() => undefined)
  }
}
