// A fetch for client libraries: sends a valid token with each request, and converts error bodies to the shape that
// OpenAI clients read.
import { type Fetch, globalFetch } from './call-gateway.ts'
import { foreignPageOrigin, missingSlugHint, readBaseUrl } from './gateway-address.ts'
import { parseJson, readErrorWords, readRetryAfter, SallyportError, toRecord } from './sallyport-error.ts'
import { createTokenProvider, type LoadToken, type TokenProvider } from './token-provider.ts'

export interface GatewayFetchOptions {
  /** The project's address: `https://{slug}.{domain}` or `{BASE_URL}/p/{slug}`. */
  baseUrl: string
  /** The result of `createTokenProvider`, or the function that it takes. */
  tokenProvider: TokenProvider | LoadToken
  /** Sent as X-Session-Id: the gateway remembers the conversation for a day. */
  sessionId?: string | null
  /** Sent as X-Thread-Id: the gateway keeps the conversation until it is deleted. */
  threadId?: string | null
  fetch?: Fetch
}

/** A longer wait means that a daily limit is used up, so clients must not retry. */
const maxRetryAfterSeconds = 60

export function createGatewayFetch(options: GatewayFetchOptions): Fetch {
  const { tokenProvider, fetch = globalFetch } = options
  const { sessionId = null, threadId = null } = options
  if (sessionId !== null && threadId !== null) {
    throw new TypeError('sessionId and threadId exclude each other: a conversation is a session or a thread')
  }
  const base = readBaseUrl(options.baseUrl)
  const provide = 'reject' in tokenProvider ? tokenProvider : createTokenProvider(tokenProvider)
  const send = async (input: string | URL | Request, init: RequestInit | undefined, token: string) => {
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined))
    headers.set('authorization', `Bearer ${token}`)
    const isNamed = headers.has('x-session-id') || headers.has('x-thread-id')
    if (!isNamed && sessionId !== null) headers.set('x-session-id', sessionId)
    if (!isNamed && threadId !== null) headers.set('x-thread-id', threadId)
    try {
      return await fetch(input instanceof Request ? input.clone() : input, { ...init, headers })
    } catch (error) {
      return explainUnreachable(error, base)
    }
  }
  return async (input, init) => {
    refuseOtherAddress(input, base)
    const token = await provide().catch(answerWith)
    if (token instanceof Response) return token
    const response = await send(input, init, token)
    if (response.ok) return response
    if (response.status !== 401 || init?.body instanceof ReadableStream) return await withReadableError(response, base)
    provide.reject(token)
    const renewed = await provide().catch(answerWith)
    // Without another token, the gateway's error says more than the token endpoint's.
    if (renewed instanceof Response || renewed === token) return await withReadableError(response, base)
    await response.body?.cancel()
    const second = await send(input, init, renewed)
    return second.ok ? second : await withReadableError(second, base)
  }
}

function refuseOtherAddress(input: string | URL | Request, base: string): void {
  const { href } = new URL(input instanceof Request ? input.url : input)
  if (!href.startsWith(`${base}/`)) throw new TypeError(`This fetch sends tokens to ${base} alone, not to ${href}`)
}

/**
 * Returns an error as a response. Clients would retry a thrown error and report it as "Connection error", even if the
 * user is not signed in.
 */
function answerWith(cause: unknown): Response {
  const { message } = cause instanceof Error ? cause : new Error(String(cause))
  const failure =
    cause instanceof SallyportError ? cause : new SallyportError(`No token: ${message}`, { status: 401, cause })
  const status = failure.status === 0 ? 503 : Math.max(failure.status, 400)
  const error = describeError(failure.message, status, failure.code ?? 'token_unavailable')
  return new Response(JSON.stringify({ error }), { status, headers: { 'content-type': 'application/json' } })
}

/**
 * To a page, a response without CORS headers looks like a lost connection, which clients report as "Connection error"
 * without a cause. A request that the page itself ended stays as it is.
 */
function explainUnreachable(cause: unknown, base: string): Response {
  const page = foreignPageOrigin(base)
  if (!(cause instanceof TypeError) || page === null) throw cause
  const words = `Could not reach ${base}: is it running, and is this page's origin, ${page}, in cors_origins, and deployed?`
  return answerWith(new SallyportError(words, { status: 0, code: 'UNREACHABLE', retryable: true, cause }))
}

/** OpenAI clients read `error.message`; other error bodies of the gateway have the text in `message` or `error`. */
async function withReadableError(response: Response, base: string): Promise<Response> {
  const { status, statusText } = response
  const text = await response.text()
  const headers = new Headers(response.headers)
  // The body is decoded and may be rewritten, so these headers no longer describe it.
  for (const name of ['content-length', 'content-encoding', 'transfer-encoding']) headers.delete(name)
  // Browsers hide the gateway's x-should-retry header from scripts.
  const retryAfter = readRetryAfter(headers.get('retry-after'))
  if (status === 429 && (retryAfter === null || retryAfter > maxRetryAfterSeconds)) {
    headers.set('x-should-retry', 'false')
  }
  return new Response(toOpenAiShape(text, status, base), { status, statusText, headers })
}

function toOpenAiShape(text: string, status: number, base: string): string {
  const body = parseJson(text)
  const { message: words, code } = readErrorWords(body)
  const message = missingSlugHint(base, status, words) ?? words
  const isOpenAiShape = typeof toRecord(body)['error'] === 'object'
  return isOpenAiShape || message === null ? text : JSON.stringify({ error: describeError(message, status, code) })
}

const types: Record<number, string> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
}

function describeError(message: string, status: number, code: string | null) {
  const type = types[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error')
  return { message, type, param: null, code }
}
