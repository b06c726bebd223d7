// The contract of a provider: the address of its API, its authentication headers and the quirks of its responses.

import type { Provider } from '../domain/provider.ts'
import type { ModelListFormat } from './models/model-page.ts'
import type { VersionRule } from './provider-address.ts'

export interface ProviderAdapter {
  slug: Provider
  address: VersionRule
  /** The one header that presents the key. */
  keyHeader(key: string): Record<string, string>
  /** Headers of every request. */
  fixedHeaders?: Record<string, string>
  keyCheck: ProviderCall & {
    /** For an error response that says more than its status; null if the status says it all. */
    readRefusal?(status: number, body: string): 'valid' | 'invalid_key' | null
  }
  modelList: ProviderCall & { format: ModelListFormat }
}

/** A GET below the provider's base URL. */
export interface ProviderCall {
  /** One of the known versions, if it differs from that of inference. */
  version?: string
  path: readonly string[]
  query?: Record<string, string>
}

/** Null sends no key. */
export function headersFor({ keyHeader, fixedHeaders }: ProviderAdapter, key: string | null): Record<string, string> {
  return { ...fixedHeaders, ...(key === null ? {} : keyHeader(key)) }
}

export function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` }
}
