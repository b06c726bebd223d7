// Explains to a project's owner why a token is accepted or rejected, and shows its content. Decides like the verifier.
// Must not store any of the token.

import { isJsonObject, type JsonObject, parseJson } from '../../domain/json-object.ts'
import type { KeySet } from '../keys/key-set.ts'
import { maxTokenLength, readTokenForm, type TokenError } from '../token-form.ts'
import { type ExternalProvider, tryExternalKeys, tryOwnKeys, type VerifiedToken } from './token-verifier.ts'
import type { CheckUserId } from './verify-external-token.ts'
import type { OwnTokenRules } from './verify-own-token.ts'

interface InspectionRules {
  ownKeySet: KeySet
  ownRules: OwnTokenRules
  external: ExternalProvider | null
  checkUserId: CheckUserId
}

export interface InspectedToken {
  /** The provider whose key the token names; null if the key is unknown. */
  source: VerifiedToken['provider'] | null
  result: VerifiedToken | TokenError
  /** Unverified content of the token; null if it is not a JSON object. */
  header: JsonObject | null
  claims: JsonObject | null
}

export function inspectToken(token: string, rules: InspectionRules, nowMs: number): InspectedToken {
  const [header = '', claims = ''] = token.length > maxTokenLength ? [] : token.split('.')
  return { ...judge(token, rules, nowMs), header: decode(header), claims: decode(claims) }
}

function judge(token: string, { ownKeySet, ownRules, external, checkUserId }: InspectionRules, nowMs: number) {
  const form = readTokenForm(token)
  if (typeof form === 'string') return { source: null, result: form }
  if (form.kid === null) return { source: null, result: 'kid' as const }
  const own = tryOwnKeys(form, ownKeySet, ownRules, nowMs)
  if (own !== null) return { source: 'service' as const, result: own }
  const foreign = external && tryExternalKeys(form, external, checkUserId, nowMs)
  if (foreign !== null) return { source: 'external' as const, result: foreign }
  return { source: null, result: 'unknown_kid' as const }
}

function decode(part: string): JsonObject | null {
  const value = parseJson(Buffer.from(part, 'base64url').toString('utf8'))
  return isJsonObject(value) ? value : null
}
