// Checks a published key set (JWKS) before any of its keys may verify a token; `vet-public-key.ts` checks the single
// key.
import { isJsonObject, type JsonObject } from '../../domain/json-object.ts'
import { type JsonError, readStrictObject } from '../strict-json.ts'
import { isKid } from '../token-form.ts'
import type { SignatureAlgorithm, VerifyingKey } from './check-signature.ts'
import { type KeyError, vetPublicKey } from './vet-public-key.ts'

export const maxKeySetBytes = 256 * 1024
const maxKeys = 50
const maxDepth = 8

export interface KeySet {
  readonly keys: ReadonlyMap<string, VerifyingKey>
  /** The text of the document: equal texts mean equal sets. */
  readonly text: string
  /** Keys left out because they are not for verifying with our algorithms, which is not an error of the set. */
  readonly skipped: number
}

export type KeySetError =
  | JsonError
  | KeyError
  | 'too_large'
  | 'not_a_key_set'
  | 'too_many_keys'
  | 'no_usable_key'
  | 'symmetric_key'
  | 'private_key'
  | 'duplicate_kid'
  | 'own_kid'

export interface KeySetRules {
  readonly algorithms: readonly SignatureAlgorithm[]
  /** Key ids that this set must not claim: those of our own keys. */
  readonly reservedKids: ReadonlySet<string>
}

/** The source of the current keys: this process, or a `remote-key-set.ts`. */
export interface KeySource {
  /** Of a source that never changes: the set. */
  readonly fixed?: KeySet
  /** The current set, or null if the caller has to wait for `ready`. */
  current(): KeySet | null
  /** The current set after any fetch that is due, or null if none may be trusted. */
  ready(): Promise<KeySet | null>
  /**
   * Like `ready`, after the fetch that an unknown kid may cause. A caller that has just waited for `ready` would learn
   * nothing new from a fetch; it still starts the cooldown.
   */
  seek(hasJustWaited: boolean): Promise<KeySet | null>
}

/** Returns the set, or the reason for rejecting all of it. */
export function readKeySet(text: string, rules: KeySetRules): KeySet | KeySetError {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length > maxKeySetBytes) return 'too_large'
  const document = readStrictObject(bytes, maxDepth)
  if (typeof document === 'string') return document
  const entries = document['keys']
  if (!Array.isArray(entries)) return 'not_a_key_set'
  if (entries.length > maxKeys) return 'too_many_keys'

  const keys = new Map<string, VerifyingKey>()
  const seen = new Set<string>()
  for (const entry of entries) {
    if (!isJsonObject(entry)) return 'invalid_key'
    const kid = readKid(entry, seen, rules)
    if (typeof kid !== 'object') return kid
    const vetted = vetEntry(entry, kid.kid, rules)
    if (typeof vetted === 'string') return vetted
    if (vetted) keys.set(vetted.kid, vetted)
  }
  return keys.size === 0 ? 'no_usable_key' : { keys, text, skipped: entries.length - keys.size }
}

/** For a process that holds its own keys and never fetches any. */
export function createFixedKeySource(keySet: KeySet): KeySource {
  return { fixed: keySet, current: () => keySet, ready: async () => keySet, seek: async () => keySet }
}

function readKid(
  entry: JsonObject,
  seen: Set<string>,
  rules: KeySetRules,
): { kid: string | null } | 'invalid_key' | 'duplicate_kid' | 'own_kid' {
  const kid = entry['kid']
  if (kid === undefined) return { kid: null }
  if (!isKid(kid)) return 'invalid_key'
  if (rules.reservedKids.has(kid)) return 'own_kid'
  if (seen.has(kid)) return 'duplicate_kid'
  seen.add(kid)
  return { kid }
}

/** Null for a key that is not for us: another use, type or algorithm, or no kid to find it by. */
function vetEntry(entry: JsonObject, kid: string | null, rules: KeySetRules): VerifyingKey | null | KeySetError {
  if (entry['kty'] === 'oct' || 'k' in entry) return 'symmetric_key'
  if (['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'priv'].some(name => name in entry)) return 'private_key'
  if (kid === null || !isForVerifying(entry)) return null
  const algorithms = rules.algorithms.filter(algorithm => fits(entry, algorithm))
  if (algorithms.length === 0) return null
  const key = vetPublicKey(entry)
  return typeof key === 'string' ? key : { kid, algorithms, key }
}

function isForVerifying({ use, key_ops: operations }: JsonObject): boolean {
  if (use !== undefined && use !== 'sig') return false
  return (
    operations === undefined || (Array.isArray(operations) && operations.length === 1 && operations[0] === 'verify')
  )
}

/** A key with `alg` is for that algorithm only; one without is for all algorithms of its type. */
function fits({ kty, crv, alg }: JsonObject, algorithm: SignatureAlgorithm): boolean {
  if (alg !== undefined && alg !== algorithm) return false
  switch (algorithm) {
    case 'RS256':
    case 'PS256':
      return kty === 'RSA'
    case 'ES256':
      return kty === 'EC' && crv === 'P-256'
    case 'EdDSA':
      return kty === 'OKP' && crv === 'Ed25519'
  }
}
