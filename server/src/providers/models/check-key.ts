// Checks whether a provider accepts a key, by the cheapest request that is free and not public. The key must appear
// only in the header that presents it.

import { OutboundFailure } from '../../outbound/failure.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import {
  AuthorisationFailure,
  type AuthorisationTools,
  type CallAdapter,
  type ProviderPlace,
  readingOf,
} from '../provider-adapter.ts'
import { fetchHead, type ProviderHead } from './fetch-head.ts'

export type KeyVerdict = 'valid' | 'invalid_key' | 'network_error' | 'timeout' | 'rate_limited'

export interface KeyToCheck extends AuthorisationTools, ProviderPlace {
  outbound: Pick<Outbound, 'open' | 'send'>
  adapter: CallAdapter
  credential: string
  /** `tenant` for an address that the tenant chose. */
  guard: 'tenant' | 'operator'
  tenantId: string
  timeoutMs: number
}

export async function checkKey(offer: KeyToCheck): Promise<KeyVerdict> {
  const { adapter, outbound, tenantId, timeoutMs } = offer
  try {
    const request = await requestOf(offer)
    if (request === null) return 'valid'
    return readVerdict(adapter, await fetchHead({ outbound, ...request, tenantId, timeoutMs }))
  } catch (error) {
    if (error instanceof AuthorisationFailure) return verdictOf(error)
    if (!(error instanceof OutboundFailure)) throw error
    return error.kind === 'timeout' ? 'timeout' : 'network_error'
  }
}

/** Null if the credential has passed the check already. */
async function requestOf(offer: KeyToCheck) {
  const { adapter, credential, guard } = offer
  const { keyCheck } = adapter
  // A token of an earlier check would prove nothing.
  adapter.forget?.(credential, offer)
  if (keyCheck === null) {
    await adapter.authorise(credential, { method: 'GET', url: offer.baseUrl, body: null }, offer)
    return null
  }
  if ('requestOf' in keyCheck) return await keyCheck.requestOf(credential, offer)
  return { ...(await readingOf(adapter, offer, keyCheck, offer)), guard }
}

function verdictOf({ error }: AuthorisationFailure): KeyVerdict {
  if (error.class === 'auth') return 'invalid_key'
  return error.class === 'rate_limit' ? 'rate_limited' : 'network_error'
}

function readVerdict({ keyCheck }: CallAdapter, { status, contentType, refusal }: ProviderHead): KeyVerdict {
  if (status >= 200 && status < 300) {
    // A web page answers 200 to anything: that is not a provider.
    return contentType.startsWith('text/html') ? 'network_error' : 'valid'
  }
  const verdict = keyCheck?.readRefusal?.(status, refusal) ?? null
  if (verdict !== null) return verdict
  if (status === 401 || status === 403) return 'invalid_key'
  return status === 429 ? 'rate_limited' : 'network_error'
}
