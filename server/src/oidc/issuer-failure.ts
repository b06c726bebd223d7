// The one error of conversations with an issuer: what failed, in fixed words. Must never carry a token, a code or a
// body.

import * as oauth from 'oauth4webapi'
import { OutboundFailure } from '../outbound/failure.ts'

/**
 * `unreachable`: a later attempt may succeed. `refused`: the issuer answered with an error. `invalid`: not to be
 * trusted.
 */
type IssuerFailureKind = 'unreachable' | 'refused' | 'invalid'

export class IssuerFailure extends Error {
  readonly kind: IssuerFailureKind
  /** A code of OAuth (`invalid_grant`), of the library or of the outbound client. */
  readonly reason: string

  constructor(kind: IssuerFailureKind, reason: string, cause?: unknown) {
    super(`the issuer cannot be used: ${kind} (${reason})`, cause === undefined ? {} : { cause })
    this.name = 'IssuerFailure'
    this.kind = kind
    this.reason = reason
  }
}

const errorWord = /^[A-Za-z0-9_.-]{1,64}$/

export function asIssuerFailure(error: unknown): IssuerFailure {
  if (error instanceof IssuerFailure) return error
  if (error instanceof OutboundFailure) return new IssuerFailure('unreachable', error.kind)
  if (error instanceof oauth.ResponseBodyError) return refusedFor(error.error, error.status)
  if (error instanceof oauth.AuthorizationResponseError) return refusedFor(error.error)
  if (error instanceof oauth.WWWAuthenticateChallengeError) return new IssuerFailure('refused', 'invalid_client')
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError) {
    const status = error.cause instanceof Response ? error.cause.status : 0
    if (status === 429 || status >= 500) return new IssuerFailure('unreachable', `status_${status}`)
    return new IssuerFailure('invalid', error.code ?? 'unknown')
  }
  // A key or a signature that the runtime cannot read.
  if (error instanceof DOMException || error instanceof TypeError)
    return new IssuerFailure('invalid', error.name, error)
  throw error
}

function refusedFor(given: string, status = 400): IssuerFailure {
  const reason = errorWord.test(given) ? given : 'unknown'
  const isPassing = status === 429 || reason === 'temporarily_unavailable' || reason === 'server_error'
  return new IssuerFailure(isPassing ? 'unreachable' : 'refused', reason)
}
