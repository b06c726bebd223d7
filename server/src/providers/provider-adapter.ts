// The contract of a provider: where its calls go, as whom they are made, which quirks its answers have.
// Knows no wire format of inference, no tenant and no stored key.

import type { Provider } from '../domain/provider.ts'
import type { ModelListFormat } from './models/model-page.ts'
import type { VersionRule } from './provider-address.ts'

export interface ProviderAdapter {
  slug: Provider
  address: VersionRule
  /** The one header that presents the key. */
  keyHeader(key: string): Record<string, string>
  /** What each request carries besides. */
  fixedHeaders?: Record<string, string>
  keyCheck: ProviderCall & {
    /** Where an answer that refuses says more than its status does; null where the status says it all. */
    readRefusal?(status: number, body: string): 'valid' | 'invalid_key' | null
  }
  modelList: ProviderCall & { format: ModelListFormat }
}

/** A GET below the provider's base address. */
export interface ProviderCall {
  /** Of the known versions, where it is not the one that inference uses. */
  version?: string
  path: readonly string[]
  query?: Record<string, string>
}

/** Null: asked as nobody. */
export function headersFor({ keyHeader, fixedHeaders }: ProviderAdapter, key: string | null): Record<string, string> {
  return { ...fixedHeaders, ...(key === null ? {} : keyHeader(key)) }
}

export function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` }
}
