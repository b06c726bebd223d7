// Checks whether a provider accepts a key, by the cheapest request that is free and not public. The key must appear
// only in the header that presents it.

import { OutboundFailure } from '../../outbound/failure.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { headersFor, type ProviderAdapter } from '../provider-adapter.ts'
import { providerUrl } from '../provider-address.ts'
import { fetchHead, type ProviderHead } from './fetch-head.ts'

export type KeyVerdict = 'valid' | 'invalid_key' | 'network_error' | 'timeout' | 'rate_limited'

export interface KeyToCheck {
  outbound: Pick<Outbound, 'open'>
  adapter: ProviderAdapter
  baseUrl: string
  key: string
  /** `tenant` for an address that the tenant chose. */
  guard: 'tenant' | 'operator'
  tenantId: string
  timeoutMs: number
}

export async function checkKey({ adapter, baseUrl, key, ...exchange }: KeyToCheck): Promise<KeyVerdict> {
  const url = providerUrl(baseUrl, adapter.address, adapter.keyCheck)
  try {
    return readVerdict(adapter, await fetchHead({ ...exchange, url, headers: headersFor(adapter, key) }))
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    return error.kind === 'timeout' ? 'timeout' : 'network_error'
  }
}

function readVerdict({ keyCheck }: ProviderAdapter, { status, contentType, refusal }: ProviderHead): KeyVerdict {
  if (status >= 200 && status < 300) {
    // A web page answers 200 to anything: that is not a provider.
    return contentType.startsWith('text/html') ? 'network_error' : 'valid'
  }
  const verdict = keyCheck.readRefusal?.(status, refusal) ?? null
  if (verdict !== null) return verdict
  if (status === 401 || status === 403) return 'invalid_key'
  return status === 429 ? 'rate_limited' : 'network_error'
}
