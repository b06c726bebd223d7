// Mints short-lived tokens with a project's API key. For servers: the key must never reach a browser.
// Needs nothing but fetch, and knows no other route of the gateway.
import type { ErrorResponse, MintRequest, MintResponse, Role } from './wire.ts'

export type { ErrorResponse, MintRequest, MintResponse, Role } from './wire.ts'

export interface SallyportOptions {
  /** The project's address: `https://{slug}.{domain}` or `{base_url}/p/{slug}`. */
  baseUrl: string
  /** `service_sk_live_…` */
  apiKey: string
  fetch?: typeof globalThis.fetch
  /** How long a mint may take; 10 seconds where not given. */
  timeoutMs?: number
}

export interface MintOptions {
  /** From the caller's own verified session, never from the client's input. */
  userId: string
  ttlSeconds?: number
  role?: Role
  tier?: string
  /** Continues a session; a new one is opened where not given. */
  sessionId?: string
}

export interface MintedToken {
  token: string
  /** Seconds. */
  ttl: number
  sessionId: string
  /** ISO 8601, by this machine's clock. */
  expiresAt: string
}

export interface Sallyport {
  mint: (options: MintOptions) => Promise<MintedToken>
}

/** The gateway's refusal. A gateway that cannot be reached is fetch's own error instead. */
export class SallyportError extends Error {
  readonly status: number
  readonly code: string | null
  readonly retryable: boolean

  constructor(status: number, body: Partial<ErrorResponse>) {
    super(body.error ?? `The gateway answered ${status}`)
    this.name = 'SallyportError'
    this.status = status
    this.code = body.code ?? null
    this.retryable = body.retryable ?? false
  }
}

export function createSallyport(options: SallyportOptions): Sallyport {
  const url = `${options.baseUrl.replace(/\/+$/, '')}/v1/auth/mint`
  const send = options.fetch ?? globalThis.fetch
  return {
    mint: async mintOptions => {
      const startedAt = Date.now()
      const response = await send(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${options.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(toWire(mintOptions)),
        redirect: 'error',
        signal: AbortSignal.timeout(options.timeoutMs ?? 10_000),
      })
      const text = await response.text()
      if (!response.ok) throw new SallyportError(response.status, parseError(text))
      const minted: MintResponse = JSON.parse(text)
      return {
        token: minted.access_token,
        ttl: minted.expires_in,
        sessionId: minted.session_id,
        expiresAt: new Date(startedAt + minted.expires_in * 1000).toISOString(),
      }
    },
  }
}

function toWire({ userId, ttlSeconds, role, tier, sessionId }: MintOptions): MintRequest {
  return {
    user_id: userId,
    ...(ttlSeconds === undefined ? {} : { ttl: ttlSeconds }),
    ...(role === undefined ? {} : { role }),
    ...(tier === undefined ? {} : { tier }),
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
  }
}

/** A proxy on the way may answer with something else than the gateway's JSON. */
function parseError(text: string): Partial<ErrorResponse> {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? body : {}
  } catch {
    return {}
  }
}
