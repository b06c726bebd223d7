// Mints short-lived tokens with a project's API key, on servers. One token per session is kept and renewed before it
// expires.
import { type CallPolicy, callGateway, type Fetch, globalFetch } from './call-gateway.ts'
import { missingSlugHint, readBaseUrl } from './gateway-address.ts'
import { refuseInBrowser } from './guard-api-key.ts'
import { type Expiring, type KeptToken, keepToken } from './kept-token.ts'
import { SallyportError, toRecord } from './sallyport-error.ts'
import type { MintRequest, MintResponse, Role } from './wire.ts'

export interface SallyportOptions {
  /** The project's address: `https://{slug}.{domain}` or `{BASE_URL}/p/{slug}`. */
  baseUrl: string
  /** `service_sk_live_…` */
  apiKey: string
  fetch?: Fetch
  /** For each attempt; by default 10 seconds. */
  timeoutMs?: number
  /** After the first attempt; by default 2. */
  maxRetries?: number
}

export interface MintOptions {
  /** From the verified session of your own application, never from the client's input. */
  userId: string
  role?: Role
  /** Seconds, 60 to 86400; by default 3600. */
  ttl?: number
  /** From your billing data, never from the client's input. */
  tier?: string
  /** By default the gateway opens a session at the first mint; later mints with the same options continue it. */
  sessionId?: string
  /** Mints again even if the kept token is still valid, for example after the gateway rejected it. */
  fresh?: boolean
}

export interface MintedToken {
  token: string
  /** How long the token is still valid, in seconds. */
  ttl: number
  sessionId: string
  /** ISO 8601, by this machine's clock. */
  expiresAt: string
  /** What may be wrong with the options all the same, such as a tier that the project does not have. */
  warning?: string
}

export interface Sallyport {
  mint: (options: MintOptions) => Promise<MintedToken>
}

interface Minted extends Expiring {
  sessionId: string
  warning?: string
}

type Kept = KeptToken<Minted>

const maxKept = 10_000
/** Longer than the browser's margin, so that a token that a browser wants to renew is renewed here too. */
const margin = { marginShare: 0.2, maxMarginMs: 120_000 }

export function createSallyport(options: SallyportOptions): Sallyport {
  refuseInBrowser('createSallyport')
  if (typeof options.apiKey !== 'string' || options.apiKey === '') {
    throw new TypeError('apiKey must be the API key of the project (service_sk_live_…)')
  }
  const base = readBaseUrl(options.baseUrl)
  const url = `${base}/v1/auth/mint`
  const { fetch = globalFetch, timeoutMs = 10_000, maxRetries = 2 } = options
  const headers = { authorization: `Bearer ${options.apiKey}`, 'content-type': 'application/json' }
  const post = async (request: MintRequest, policy: CallPolicy): Promise<Minted> => {
    const startedAt = Date.now()
    const init = { method: 'POST', headers, body: JSON.stringify(request) }
    const answer = await callGateway(url, init, policy).catch(error => explain(error, base))
    return readMinted(answer, startedAt)
  }
  /** Least recently used first. */
  const keptByRequest = new Map<string, Kept>()
  const remember = (request: MintRequest, kept: Kept): void => {
    const key = keyOf(request)
    keptByRequest.delete(key)
    keptByRequest.set(key, kept)
    const [oldest] = keptByRequest.size > maxKept ? keptByRequest.keys() : []
    if (oldest !== undefined) keptByRequest.delete(oldest)
  }
  const keep = (request: MintRequest): Kept => {
    let session = request
    const kept = keepToken<Minted>({
      ...margin,
      async load({ isUrgent }) {
        const minted = await post(session, { fetch, timeoutMs, maxRetries: isUrgent ? maxRetries : 0 })
        session = { ...request, session_id: minted.sessionId }
        remember(session, kept)
        return minted
      },
    })
    return kept
  }
  return {
    async mint({ fresh = false, ...given }) {
      const request = toWire(given)
      const kept = keptByRequest.get(keyOf(request)) ?? keep(request)
      remember(request, kept)
      if (fresh) kept.drop()
      return present(await kept.get())
    },
  }
}

function explain(error: SallyportError, base: string): never {
  const hint = missingSlugHint(base, error.status, error.message)
  throw hint === null
    ? error
    : new SallyportError(hint, { status: error.status, requestId: error.requestId, cause: error })
}

function toWire({ userId, role, ttl, tier, sessionId }: MintOptions): MintRequest {
  return {
    user_id: userId,
    ...(role === undefined ? {} : { role }),
    ...(ttl === undefined ? {} : { ttl }),
    ...(tier === undefined ? {} : { tier }),
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
  }
}

function keyOf({ user_id, role, ttl, tier, session_id }: MintRequest): string {
  return JSON.stringify([user_id, role, ttl, tier, session_id])
}

function readMinted(answer: unknown, startedAt: number): Minted {
  const fields = toRecord(answer) as Partial<Record<keyof MintResponse, unknown>>
  const { access_token, expires_in, session_id, warning } = fields
  if (typeof access_token !== 'string' || typeof expires_in !== 'number' || typeof session_id !== 'string') {
    const hint = 'baseUrl must be the address of a project, not of the management API'
    throw new SallyportError(`The answer holds no token; ${hint}`, { status: 200, code: 'INVALID_RESPONSE' })
  }
  const minted = { token: access_token, sessionId: session_id, expiresAtMs: startedAt + expires_in * 1000 }
  return typeof warning === 'string' ? { ...minted, warning } : minted
}

function present({ token, sessionId, expiresAtMs, warning }: Minted): MintedToken {
  const ttl = Math.max(0, Math.ceil((expiresAtMs - Date.now()) / 1000))
  const minted = { token, ttl, sessionId, expiresAt: new Date(expiresAtMs).toISOString() }
  return warning === undefined ? minted : { ...minted, warning }
}
