// The error that this package throws, and how it is read from a response of the gateway.
import type { ErrorResponse } from './wire.ts'

interface Details {
  status: number
  code?: string | null
  retryable?: boolean
  retryAfterSeconds?: number | null
  requestId?: string | null
  secondFactor?: SecondFactor | null
  cause?: unknown
}

interface SecondFactor {
  challenge: string
  /** Of `passkey`, `totp` and `backup_code` those that the account has. */
  methods: string[]
}

export class SallyportError extends Error {
  /** The HTTP status; 0 if no response arrived. */
  readonly status: number
  /** The gateway's machine-readable code, or one of this package's own; null if there is none. */
  readonly code: string | null
  /** Whether the same request may succeed later. */
  readonly retryable: boolean
  /** How long to wait before a retry, if the gateway says so. */
  readonly retryAfterSeconds: number | null
  /** Identifies the request in the gateway's log. */
  readonly requestId: string | null
  /** With the code `second_factor_required`: what a sign-in goes on with. */
  readonly secondFactor: SecondFactor | null

  constructor(message: string, details: Details) {
    super(message, { cause: details.cause })
    this.name = 'SallyportError'
    this.status = details.status
    this.code = details.code ?? null
    this.retryable = details.retryable ?? false
    this.retryAfterSeconds = details.retryAfterSeconds ?? null
    this.requestId = details.requestId ?? null
    this.secondFactor = details.secondFactor ?? null
  }
}

/** The fields that are read from all three shapes of error bodies. */
export interface ErrorWords {
  message: string | null
  code: string | null
  retryable: boolean | null
}

/**
 * Reads `{error, code?, retryable?}` of the management API, `{error, message}` of the gateway and
 * `{error: {message, code}}` of OpenAI's format.
 */
export function readErrorWords(body: unknown): ErrorWords {
  const { error, message, code, retryable } = toRecord(body) as Record<keyof ErrorResponse | 'message', unknown>
  const nested = toRecord(error)
  return {
    message: findText(message) ?? findText(error) ?? findText(nested['message']),
    code: findText(code) ?? findText(nested['code']),
    retryable: typeof retryable === 'boolean' ? retryable : null,
  }
}

function readSecondFactor(body: unknown): SecondFactor | null {
  const { challenge, methods } = toRecord(body)
  if (typeof challenge !== 'string' || !Array.isArray(methods)) return null
  return { challenge, methods: methods.filter(method => typeof method === 'string') }
}

/** `sender` names the responding server. The body may be something else than JSON, for example from a proxy. */
export function errorFromResponse(response: Response, text: string, sender = 'The gateway'): SallyportError {
  const { status, headers } = response
  const body = parseJson(text)
  const words = readErrorWords(body)
  const mayRetry = headers.get('x-should-retry') !== 'false' && isTransient(status)
  return new SallyportError(words.message ?? `${sender} answered with status ${status}`, {
    status,
    code: words.code,
    retryable: words.retryable ?? mayRetry,
    retryAfterSeconds: readRetryAfter(headers.get('retry-after')),
    requestId: headers.get('x-request-id'),
    secondFactor: readSecondFactor(body),
  })
}

/** `fetch` throws the same error for a refused connection, a failed DNS lookup and a broken response. */
export function errorFromFailure(cause: unknown, target = 'the gateway'): SallyportError {
  if (cause instanceof SallyportError) return cause
  const { name, message } = cause instanceof Error ? cause : new Error(String(cause))
  if (name === 'TimeoutError')
    return new SallyportError(`Timed out waiting for ${target}`, { status: 0, code: 'TIMEOUT', retryable: true, cause })
  const words = `Could not reach ${target}: ${message}`
  return new SallyportError(words, { status: 0, code: 'UNREACHABLE', retryable: true, cause })
}

export function readRetryAfter(header: string | null): number | null {
  if (header === null) return null
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds))
}

/** Undefined for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function isTransient(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

function findText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
