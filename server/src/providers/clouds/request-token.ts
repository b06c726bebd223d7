// Exchanges a credential for a short-lived token at the endpoint that issues it. Must not log or throw anything of the
// credential or of the response, except the issuer's word for its error.

import { type ProviderErrorClass, providerError } from '../../domain/conversation/provider-error.ts'
import { isJsonObject, parseJson } from '../../domain/json-object.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { AuthorisationFailure } from '../provider-adapter.ts'
import type { ShortLived } from './token-cache.ts'

interface TokenRequest {
  outbound: Pick<Outbound, 'send'>
  url: string
  form: Record<string, string>
  /** `operator` only for an address that the operator configured. */
  guard: 'tenant' | 'operator'
  tenantId: string
}

const timeoutMs = 10_000
const maxBytes = 64 * 1024

/**
 * Returns the body of a good response. Throws AuthorisationFailure if the issuer rejects the credential, and
 * OutboundFailure if the issuer cannot be reached.
 */
export async function requestToken({ outbound, url, form, guard, tenantId }: TokenRequest): Promise<string> {
  const { status, body } = await outbound.send({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
    guard,
    tenantId,
    timeoutMs,
    maxBytes,
  })
  const text = body.toString()
  if (status === 200) return text
  throw new AuthorisationFailure(providerError(classOf(status), { status, code: errorWordIn(text) }))
}

/** For a response that lacks what it has to have. */
export function unreadableToken(): AuthorisationFailure {
  return new AuthorisationFailure(providerError('malformed', { code: 'token_response' }))
}

function classOf(status: number): ProviderErrorClass {
  if (status === 429) return 'rate_limit'
  return status >= 400 && status < 500 ? 'auth' : 'server_error'
}

/** OAuth's `error`, or the code in the XML of AWS. */
function errorWordIn(text: string): string | null {
  const json = parseJson(text)
  const word = isJsonObject(json) ? json['error'] : /<Code>([^<]*)<\/Code>/.exec(text)?.[1]
  return typeof word === 'string' && /^\w{1,40}$/.test(word) ? word : null
}

/** Reads OAuth's token response. */
export function readAccessToken(text: string, now: number): ShortLived<string> {
  const json = parseJson(text)
  const { access_token: token, expires_in: seconds } = isJsonObject(json) ? json : {}
  const lifeSeconds = Number(seconds)
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token) || !(lifeSeconds > 0)) throw unreadableToken()
  return { value: token, expiresAt: now + lifeSeconds * 1000 }
}
