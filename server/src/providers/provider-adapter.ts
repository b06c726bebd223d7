// The contract of a provider: the address of its API, how a request presents the credential, and the quirks of its
// responses.

import type { ProviderError } from '../domain/conversation/provider-error.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { CloudTools } from './clouds/cloud-tools.ts'
import type { ModelListFormat } from './models/model-page.ts'
import { providerUrl, type VersionRule } from './provider-address.ts'

/** A provider whose models and keys one GET each shows. */
export interface ProviderAdapter extends CallAdapter {
  keyCheck: ProviderCall & Refusals
  modelList: ModelList
  /** For a provider whose list of models lacks those that make vectors. */
  embeddingModelList?: ModelList
}

interface ModelList extends ProviderCall {
  format: ModelListFormat
  /** Some servers return the list itself, without an object around it. */
  acceptsBareList?: true
}

/** What a call of any provider needs. */
export interface CallAdapter {
  address: VersionRule
  /**
   * The address of a provider whose credential names it, at least in part; all others have the operator's, or the
   * override itself.
   */
  placeOf?(credential: string, baseUrlOverride: string | null): ProviderPlace
  /** What must never be shown of a credential that is not one key. */
  secretsOf?(credential: string): string[]
  authorise: Authorise
  /**
   * Drops the token for which the credential was exchanged, because the provider rejected it. Returns whether there was
   * one: then another may work.
   */
  forget?(credential: string, tools: Pick<AuthorisationTools, 'clouds' | 'tenantId'>): boolean
  /** Headers of every request. */
  fixedHeaders?: Record<string, string>
  /** Null if the exchange of the credential for a token is the check. */
  keyCheck: ((ProviderCall | CheckElsewhere) & Refusals) | null
}

export interface ProviderPlace {
  baseUrl: string
  /** Parameters of every request. */
  query?: Record<string, string>
}

interface Refusals {
  /** For an error response that says more than its status; null if the status says it all. */
  readRefusal?(status: number, body: string): 'valid' | 'invalid_key' | null
}

/** A check at another address than the provider's. */
interface CheckElsewhere {
  requestOf(credential: string, tools: AuthorisationTools): Promise<ElsewhereRequest>
}

interface ElsewhereRequest {
  url: string
  headers: Record<string, string>
  guard: 'tenant' | 'operator'
}

/**
 * Returns the headers that authorise this one request; names in lower case. The credential is the provider's key, or
 * JSON text in the adapter's own form. A promise is for credentials that are first exchanged for a token: it rejects
 * with an AuthorisationFailure, or with the OutboundFailure of the exchange.
 */
export type Authorise = (
  credential: string,
  request: UnauthorisedRequest,
  tools: AuthorisationTools,
) => Record<string, string> | Promise<Record<string, string>>

/** All of it may be signed: it is sent as it is. */
export interface UnauthorisedRequest {
  method: 'GET' | 'POST'
  url: string
  body: string | Uint8Array | null
}

/** For credentials that are exchanged for a token. */
export interface AuthorisationTools {
  outbound: Pick<Outbound, 'send'>
  now: () => number
  clouds: CloudTools
  /** The tenant whose credential it is; absent for the operator's. */
  tenantId?: string
}

/** The credential was refused before the request was sent. */
export class AuthorisationFailure extends Error {
  readonly error: ProviderError

  constructor(error: ProviderError, options?: ErrorOptions) {
    super(`request could not be authorised: ${error.class}`, options)
    this.name = 'AuthorisationFailure'
    this.error = error
  }
}

/** A GET below the provider's base URL. */
export interface ProviderCall {
  /** One of the known versions, if it differs from that of inference. */
  version?: string
  path: readonly string[]
  query?: Record<string, string>
}

/** The URL and headers of a GET. Null sends no credential. */
export async function readingOf(
  adapter: Pick<CallAdapter, 'address' | 'authorise' | 'fixedHeaders'>,
  { baseUrl, query, credential }: ProviderPlace & { credential: string | null },
  call: ProviderCall,
  tools: AuthorisationTools,
): Promise<{ url: string; headers: Record<string, string> }> {
  const url = providerUrl(baseUrl, adapter.address, { ...call, query: { ...query, ...call.query } })
  const authorised =
    credential === null ? {} : await adapter.authorise(credential, { method: 'GET', url, body: null }, tools)
  return { url, headers: { ...adapter.fixedHeaders, ...authorised } }
}

export function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` }
}
