// Caches verified tokens by the hash of the whole token, bounded in number and bytes. Checks times only: the owner
// stores what a verdict depends on (key sets, provider) beside it and compares it on each hit.
import { hash } from 'node:crypto'
import { ShortLivedMap } from '../../collections/short-lived-map.ts'
import { leewaySeconds } from './claim-rules.ts'

export interface TokenTimes {
  readonly exp: number
  readonly nbf?: number
  readonly iat?: number
}

interface VerifiedTokenCacheOptions {
  now(): number
  maxEntries: number
  maxBytes: number
}

export interface VerifiedTokenCache<Verdict> {
  find(token: string): Verdict | null
  put(token: string, verdict: Verdict, times: TokenTimes): void
  readonly size: number
}

interface Entry<Verdict> {
  verdict: Verdict
  times: TokenTimes
  bytes: number
}

/** The size of an entry without its claims: the key, the objects, the map's slot. */
const overheadBytes = 512

/**
 * Two generations: an entry in use moves to the young one, and when that is half full the old one is dropped. This
 * evicts the least recently used entries without reordering on every hit.
 */
export function createVerifiedTokenCache<Verdict>(options: VerifiedTokenCacheOptions): VerifiedTokenCache<Verdict> {
  let young = new ShortLivedMap<Entry<Verdict>>()
  let old = new ShortLivedMap<Entry<Verdict>>()
  let youngBytes = 0

  function add(key: string, entry: Entry<Verdict>): void {
    if (young.get(key) !== undefined) return
    if (young.size + 1 > options.maxEntries / 2 || youngBytes + entry.bytes > options.maxBytes / 2) {
      old = young
      young = new ShortLivedMap()
      youngBytes = 0
    }
    young.set(key, entry)
    youngBytes += entry.bytes
  }

  function find(token: string): Verdict | null {
    const key = keyOf(token)
    const fresh = young.get(key)
    const entry = fresh ?? old.get(key)
    if (!entry || !isLive(entry.times, options.now())) return null
    if (!fresh) {
      old.delete(key)
      add(key, entry)
    }
    return entry.verdict
  }

  function put(token: string, verdict: Verdict, times: TokenTimes): void {
    const key = keyOf(token)
    const known = young.get(key)
    if (known) {
      known.verdict = verdict
      known.times = times
      return
    }
    old.delete(key)
    // Claims are a part of the token's own text, as one- or two-byte strings.
    add(key, { verdict, times, bytes: token.length * 2 + overheadBytes })
  }

  return {
    find,
    put,
    get size() {
      return young.size + old.size
    },
  }
}

function keyOf(token: string): string {
  return hash('sha256', token, 'latin1')
}

/** The clock may have been set back: a token that is not yet valid is no hit either. */
function isLive(times: TokenTimes, nowMs: number): boolean {
  const latest = nowMs / 1000 + leewaySeconds
  return nowMs < times.exp * 1000 && (times.nbf ?? 0) <= latest && (times.iat ?? 0) <= latest
}
