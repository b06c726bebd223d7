// Checks whether a provider accepts a key, by the cheapest request that is free and not public. The key must appear
// only in the header that presents it.

import { OutboundFailure } from '../../outbound/failure.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { headersFor, type ProviderAdapter } from '../provider-adapter.ts'
import { providerUrl } from '../provider-address.ts'
import { askForHead, type ProviderHead } from './ask-provider.ts'

export type KeyVerdict = 'valid' | 'invalid_key' | 'network_error' | 'timeout' | 'rate_limited'

export interface KeyQuestion {
  outbound: Pick<Outbound, 'open'>
  adapter: ProviderAdapter
  baseUrl: string
  key: string
  /** `tenant` for an address that the tenant chose. */
  guard: 'tenant' | 'operator'
  tenantId: string
  timeoutMs: number
}

export async function checkKey({ adapter, baseUrl, key, ...exchange }: KeyQuestion): Promise<KeyVerdict> {
  const url = providerUrl(baseUrl, adapter.address, adapter.keyCheck)
  try {
    return readVerdict(adapter, await askForHead({ ...exchange, url, headers: headersFor(adapter, key) }))
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
  const told = keyCheck.readRefusal?.(status, refusal) ?? null
  if (told !== null) return told
  if (status === 401 || status === 403) return 'invalid_key'
  return status === 429 ? 'rate_limited' : 'network_error'
}
