// Provides tokens on end users' devices: fetched from your own token endpoint, or from an identity provider's library.
import { looksLikeApiKey } from './guard-api-key.ts'
import { type Expiring, keepToken } from './kept-token.ts'
import { errorFromFailure, errorFromResponse, parseJson, SallyportError, toRecord } from './sallyport-error.ts'

/** The body of a token endpoint: the result of `mint`, or the gateway's response to a mint. */
export interface TokenAnswer {
  token?: string
  /** Seconds. Preferred to `expiresAt`, since the clocks of devices are often wrong. */
  ttl?: number
  /** ISO 8601, or milliseconds since 1970. */
  expiresAt?: string | number | Date
  sessionId?: string
  access_token?: string
  expires_in?: number
  session_id?: string
}

export interface LoadContext {
  /** The gateway rejected the last token: mint a fresh one. */
  isRejected: boolean
}

/** A string is a token; it is valid until its `exp` claim. */
export type LoadToken = (
  context: LoadContext,
) => Response | TokenAnswer | string | Promise<Response | TokenAnswer | string>

export interface ProvidedToken {
  token: string
  expiresAt: string
  /** Null if the token endpoint returns none. */
  sessionId: string | null
}

export interface TokenProvider {
  (): Promise<string>
  /** The token with its session. */
  current(): Promise<ProvidedToken>
  /** Call this when the gateway has rejected the token, so that the next call fetches another. */
  reject(token: string): void
}

interface Provided extends Expiring {
  sessionId: string | null
}

const margin = { marginShare: 0.1, maxMarginMs: 30_000 }

export function createTokenProvider(load: LoadToken): TokenProvider {
  let isRejected = false
  const kept = keepToken<Provided>({
    ...margin,
    async load() {
      const provided = await loadToken(load, { isRejected })
      isRejected = false
      return provided
    },
  })
  const provide = async () => (await kept.get()).token
  return Object.assign(provide, {
    async current() {
      const { token, sessionId, expiresAtMs } = await kept.get()
      return { token, sessionId, expiresAt: new Date(expiresAtMs).toISOString() }
    },
    reject(token: string) {
      if (kept.drop(token)) isRejected = true
    },
  })
}

async function loadToken(load: LoadToken, context: LoadContext): Promise<Provided> {
  const startedAt = Date.now()
  const answer = await loadAnswer(load, context)
  const { token, access_token, sessionId, session_id } = answer
  const text = token ?? access_token
  if (typeof text !== 'string' || text === '') {
    throw new SallyportError('The token endpoint answered without a token', { status: 200, code: 'INVALID_RESPONSE' })
  }
  if (looksLikeApiKey(text)) {
    throw new Error('The token endpoint answered with the API key itself. Mint a token with it and answer with that.')
  }
  return {
    token: text,
    sessionId: sessionId ?? session_id ?? null,
    expiresAtMs: findExpiry(answer, startedAt) ?? readExpiry(text) ?? startedAt,
  }
}

async function loadAnswer(load: LoadToken, context: LoadContext): Promise<TokenAnswer> {
  try {
    const answer = await load(context)
    if (typeof answer === 'string') return { token: answer }
    if (!(answer instanceof Response)) return answer
    const text = await answer.text()
    if (!answer.ok) throw errorFromResponse(answer, text, 'The token endpoint')
    return toRecord(parseJson(text))
  } catch (cause) {
    // Fetch throws a TypeError; any other error is the application's own.
    throw cause instanceof TypeError ? errorFromFailure(cause, 'the token endpoint') : cause
  }
}

function findExpiry({ ttl, expires_in, expiresAt }: TokenAnswer, startedAt: number): number | null {
  const seconds = ttl ?? expires_in
  if (typeof seconds === 'number') return startedAt + seconds * 1000
  const at = expiresAt === undefined ? Number.NaN : new Date(expiresAt).getTime()
  return Number.isNaN(at) ? null : at
}

/** Does not verify the token: only the gateway decides whether it is valid. */
function readExpiry(token: string): number | null {
  const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
  if (!/^[A-Za-z0-9+/]+$/.test(payload) || payload.length % 4 === 1) return null
  const { exp } = toRecord(parseJson(atob(payload)))
  return typeof exp === 'number' ? exp * 1000 : null
}
