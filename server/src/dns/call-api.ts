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
  blocked: ['unreachable', 'has an address that cannot be used'],
  dns: ['unreachable', 'cannot be reached: its name has no address'],
  connect: ['unreachable', 'cannot be reached: no connection to it can be made'],
  tls: ['unreachable', 'cannot be reached: no secure connection to it can be made'],
  timeout: ['no_answer', 'did not answer in time'],
  aborted: ['no_answer', 'did not answer in time'],
  reset: ['no_answer', 'broke the connection off'],
  too_large: ['bad_answer', 'answered with more than can be read'],
  redirect: ['bad_answer', 'answered with a redirect, which is never followed'],
  protocol: ['bad_answer', 'answered with something that is not HTTP as it should be'],
}

/** Returns the failure for a status; null if the body decides. */
export function statusFailure(provider: string, status: number, credentials: string): DnsFailure | null {
  if (status === 401 || status === 403) {
    return new DnsFailure('credentials', `The API of ${provider} refuses the credentials (${status}): ${credentials}.`)
  }
  if (status === 429) {
    return new DnsFailure('limited', `The API of ${provider} takes no more requests for now (429).`)
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
