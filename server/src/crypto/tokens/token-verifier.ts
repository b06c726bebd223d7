// Verifies a token: with our own key set first, then with the project's external provider. A kid of our own must never
// be tried elsewhere, and the caller must compare tid and pid.
import { brand } from '../../domain/brand.ts'
import type { KeySet, KeySource } from '../keys/key-set.ts'
import { maxTokenLength, readTokenForm, type TokenError, type TokenForm } from '../token-form.ts'
import { createVerifiedTokenCache } from './verified-token-cache.ts'
import {
  type CheckUserId,
  type ExternalClaims,
  type ExternalTokenRules,
  verifyExternalToken,
} from './verify-external-token.ts'
import { type OwnClaims, type OwnTokenRules, verifyOwnToken } from './verify-own-token.ts'

export type VerifiedToken =
  | { readonly provider: typeof brand; readonly claims: OwnClaims }
  | { readonly provider: 'external'; readonly claims: ExternalClaims }

export type TokenVerdict =
  | { readonly outcome: 'verified'; readonly token: VerifiedToken }
  /** 401, regardless of the reason. */
  | { readonly outcome: 'refused'; readonly error: TokenError }
  /** 503: no key set may be trusted at the moment, so the token may be valid. */
  | { readonly outcome: 'unavailable' }

/** One object per revision: a cached verdict holds as long as this very object is the current one. */
export interface ExternalProvider extends ExternalTokenRules {
  readonly keySet: KeySet
}

/** The external provider of the requested project, or null; called only if our own keys do not match. */
export type FindExternalProvider = () => Promise<ExternalProvider | null>

interface TokenVerifierOptions {
  ownKeys: KeySource
  ownRules: OwnTokenRules
  checkUserId: CheckUserId
  now(): number
  cacheEntries?: number
  cacheBytes?: number
}

interface CachedVerdict {
  verdict: Extract<TokenVerdict, { outcome: 'verified' }>
  ownKeySet: KeySet
  external: ExternalProvider | null
}

export interface TokenVerifier {
  /** Returns the verdict itself if it is cached, as for most requests. */
  verify(token: string, findExternal: FindExternalProvider): TokenVerdict | Promise<TokenVerdict>
  readonly counters: Readonly<{ hits: number; verifications: number }>
}

export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const { ownKeys, ownRules, checkUserId, now, cacheEntries = 100_000, cacheBytes = 256 * 1024 * 1024 } = options
  const cache = createVerifiedTokenCache<CachedVerdict>({ now, maxEntries: cacheEntries, maxBytes: cacheBytes })
  const counters = { hits: 0, verifications: 0 }

  function conclude(
    token: string,
    result: VerifiedToken | TokenError,
    ownKeySet: KeySet,
    external: ExternalProvider | null,
  ): TokenVerdict {
    counters.verifications++
    if (typeof result === 'string') return refuse(result)
    const verdict = Object.freeze({ outcome: 'verified', token: Object.freeze(result) })
    cache.put(token, { verdict, ownKeySet, external }, result.claims)
    return verdict
  }

  async function judge(token: string, ownKeySet: KeySet, hasJustWaited: boolean, findExternal: FindExternalProvider) {
    const form = readTokenForm(token)
    if (typeof form === 'string') return refuse(form)
    if (form.kid === null) return refuse('kid')
    const own = tryOwnKeys(form, ownKeySet, ownRules, now())
    if (own) return conclude(token, own, ownKeySet, null)
    const external = await findExternal()
    const foreign = external && tryExternalKeys(form, external, checkUserId, now())
    if (foreign) return conclude(token, foreign, ownKeySet, external)
    // Only a token that could be ours justifies another fetch of our key set.
    if (form.alg !== 'RS256') return refuse('unknown_kid')
    const sought = await ownKeys.seek(hasJustWaited)
    if (!sought) return unavailable
    const late = tryOwnKeys(form, sought, ownRules, now())
    return late ? conclude(token, late, sought, null) : refuse('unknown_kid')
  }

  function recall({ verdict }: CachedVerdict): TokenVerdict {
    counters.hits++
    return verdict
  }

  function verifyBy(keySet: KeySet | null, token: string, hasWaited: boolean, find: FindExternalProvider) {
    if (keySet === null) return unavailable
    const known = cache.find(token)
    // Removing or adding a key creates another set object, which invalidates everything verified with the last one.
    if (known?.ownKeySet !== keySet) return judge(token, keySet, hasWaited, find)
    if (known.external === null) return recall(known)
    return find().then(found => (found === known.external ? recall(known) : judge(token, keySet, hasWaited, find)))
  }

  return {
    verify(token, findExternal) {
      if (token.length > maxTokenLength) return refuse('too_long')
      const atHand = ownKeys.fixed ?? ownKeys.current()
      if (atHand !== null) return verifyBy(atHand, token, false, findExternal)
      return ownKeys.ready().then(keySet => verifyBy(keySet, token, true, findExternal))
    },
    counters,
  }
}

const unavailable: TokenVerdict = Object.freeze({ outcome: 'unavailable' })

function refuse(error: TokenError): TokenVerdict {
  return { outcome: 'refused', error }
}

/** Null if the kid is not ours; an error is final. */
export function tryOwnKeys(
  form: TokenForm,
  keySet: KeySet,
  rules: OwnTokenRules,
  nowMs: number,
): VerifiedToken | TokenError | null {
  const key = keySet.keys.get(form.kid ?? '')
  if (!key) return null
  const claims = verifyOwnToken(form, key, rules, nowMs)
  return typeof claims === 'string' ? claims : { provider: brand, claims }
}

/** The same for the external provider's keys. */
export function tryExternalKeys(
  form: TokenForm,
  external: ExternalProvider,
  checkUserId: CheckUserId,
  nowMs: number,
): VerifiedToken | TokenError | null {
  const key = external.keySet.keys.get(form.kid ?? '')
  if (!key) return null
  const claims = verifyExternalToken(form, key, external, checkUserId, nowMs)
  return typeof claims === 'string' ? claims : { provider: 'external', claims }
}
