// Sends one request to the API of a DNS provider and returns the response as text. The address is the operator's.

import { OutboundFailure, type OutboundFailureKind } from '../outbound/failure.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { DnsFailure, type DnsFailureKind } from './dns-failure.ts'

interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  url: string
  headers: Record<string, string>
  body?: string
}

export interface ApiAnswer {
  status: number
  text: string
}

/** Drivers pass a signal with a far shorter timeout; this is for callers that do not. */
const timeoutMs = 30_000
const maxBytes = 1_048_576

export async function callApi(
  outbound: Pick<Outbound, 'send'>,
  provider: string,
  request: ApiRequest,
  signal: AbortSignal,
): Promise<ApiAnswer> {
  try {
    const answer = await outbound.send({ ...request, guard: 'operator', timeoutMs, maxBytes, signal })
    return { status: answer.status, text: answer.body.toString() }
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    const [kind, words] = meanings[error.kind]
    throw new DnsFailure(kind, `The API of ${provider} ${words}.`)
  }
}

const meanings: Record<OutboundFailureKind, [DnsFailureKind, string]> = {
  blocked: ['unreachable', 'is unreachable: its address is not allowed'],
  dns: ['unreachable', 'is unreachable: its name does not resolve to an address'],
  connect: ['unreachable', 'is unreachable: the connection failed'],
  tls: ['unreachable', 'is unreachable: the TLS connection failed'],
  timeout: ['no_answer', 'did not respond in time'],
  aborted: ['no_answer', 'did not respond in time'],
  reset: ['no_answer', 'closed the connection'],
  too_large: ['bad_answer', 'sent a response that is too large'],
  redirect: ['bad_answer', 'sent a redirect, which is not followed'],
  protocol: ['bad_answer', 'sent a response that is not valid HTTP'],
}

/** Returns the failure for a status; null if the body decides. */
export function statusFailure(provider: string, status: number, credentials: string): DnsFailure | null {
  if (status === 401 || status === 403) {
    return new DnsFailure('credentials', `The API of ${provider} rejected the credentials (${status}): ${credentials}.`)
  }
  if (status === 429) {
    return new DnsFailure('limited', `The API of ${provider} limits the rate of requests (429).`)
  }
  if (status >= 500) return new DnsFailure('server_fault', `The API of ${provider} failed (${status}).`)
  return null
}

/** Makes a provider's message fit for display: one short line, without secrets. */
export function quoteWords(words: string, secrets: readonly string[]): string {
  const line = words.slice(0, 2_000).replace(/[\p{C}\p{Z}]+/gu, ' ')
  const safe = secrets.reduce((text, secret) => text.replaceAll(secret, '[secret]'), line).trim()
  return safe.length > 200 ? `${safe.slice(0, 200)}…` : safe
}
