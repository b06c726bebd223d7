// The one error of outbound requests: what failed, and whether a connection existed. Must never carry a header, a body,
// a key or an address: only fixed words and the system's error code.

export type OutboundFailureKind =
  | 'blocked'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'too_large'
  | 'redirect'
  | 'reset'
  | 'protocol'
  | 'aborted'

interface Details {
  /** Why the policy rejected it, or the system's error code (`ECONNREFUSED`); for logs, never for a tenant. */
  reason?: string
  /** False if the peer cannot have worked on the request, so that it may be retried. */
  connected?: boolean
  /** The HTTP status of a response whose head arrived and was refused. */
  status?: number
  cause?: unknown
}

export class OutboundFailure extends Error {
  readonly kind: OutboundFailureKind
  readonly reason: string | undefined
  readonly connected: boolean
  readonly status: number | undefined

  constructor(kind: OutboundFailureKind, { reason, connected = true, status, cause }: Details = {}) {
    super(`outbound request failed: ${kind}${reason ? ` (${reason})` : ''}`, cause === undefined ? {} : { cause })
    this.name = 'OutboundFailure'
    this.kind = kind
    this.reason = reason
    this.connected = connected
    this.status = status
  }
}

const kindsByCode: Record<string, OutboundFailureKind> = {
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ETIMEDOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'too_large',
  HPE_HEADER_OVERFLOW: 'too_large',
  UND_ERR_SOCKET: 'reset',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  UND_ERR_DESTROYED: 'aborted',
  UND_ERR_CLOSED: 'aborted',
  UND_ERR_ABORTED: 'aborted',
}

const tlsCode = /^(CERT_|ERR_TLS_|ERR_SSL_|EPROTO$|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH$|INVALID_CA$)/

/** For errors before the connection was established. */
export function connectFailure(error: unknown): OutboundFailure {
  if (error instanceof OutboundFailure) return error
  const reason = codeOf(error)
  if (tlsCode.test(reason)) return new OutboundFailure('tls', { reason, connected: false })
  const kind = kindsByCode[reason] === 'timeout' ? 'timeout' : 'connect'
  return new OutboundFailure(kind, { reason, connected: false })
}

/**
 * For errors on an established connection. An error with a code is the network's and is dropped: a parser's error
 * contains the invalid bytes. One without a code is our own bug and is kept.
 */
export function exchangeFailure(error: unknown): OutboundFailure {
  if (error instanceof OutboundFailure) return error
  const reason = codeOf(error)
  if (reason === 'UNKNOWN') return new OutboundFailure('protocol', { reason, cause: error })
  return new OutboundFailure(kindsByCode[reason] ?? (tlsCode.test(reason) ? 'tls' : 'protocol'), { reason })
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (typeof code === 'string') return code
  // Several addresses failed; the code of the last one stands for all.
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors.at(-1))
  return 'UNKNOWN'
}
