// Caches short-lived credentials until shortly before they expire, in this process only. Concurrent requests for the
// same one wait for one fetch.

import { createHash } from 'node:crypto'

export interface ShortLived<T> {
  value: T
  /** Epoch ms. */
  expiresAt: number
}

/** Whom a token is for. A token of one tenant must never serve another, even one that names the same identity. */
export interface TokenOwner {
  tenantId: string
  /** What is exchanged for the token. */
  credential: string
}

export interface TokenCache {
  get<T>(owner: TokenOwner, fetch: () => Promise<ShortLived<T>>): T | Promise<T>
  /** Returns whether there was a token. Called when the provider rejected it. */
  forget(owner: TokenOwner): boolean
}

/** A token with less life than this is replaced; a request that takes longer than that was accepted before. */
const minLifeMs = 60_000
const maxTokens = 10_000

interface Entry {
  token: ShortLived<unknown> | null
  fetching: Promise<unknown> | null
}

export function createTokenCache(now: () => number): TokenCache {
  const entries = new Map<string, Entry>()

  async function refresh<T>(key: string, entry: Entry, fetch: () => Promise<ShortLived<T>>): Promise<T> {
    try {
      const token = await fetch()
      entry.token = token
      return token.value
    } catch (error) {
      // While the issuer is unavailable, the last token serves until it expires.
      if (entry.token !== null && entry.token.expiresAt > now()) return entry.token.value as T
      if (entries.get(key) === entry) entries.delete(key)
      throw error
    } finally {
      entry.fetching = null
    }
  }

  return {
    get<T>(owner: TokenOwner, fetch: () => Promise<ShortLived<T>>) {
      const key = keyOf(owner)
      const entry = entries.get(key) ?? { token: null, fetching: null }
      if (entry.token !== null && entry.token.expiresAt - now() >= minLifeMs) return entry.token.value as T
      // Set again, so that the oldest entry is always the first.
      entries.delete(key)
      entries.set(key, entry)
      if (entries.size > maxTokens)
        for (const oldest of entries.keys().take(entries.size - maxTokens)) entries.delete(oldest)
      entry.fetching ??= refresh(key, entry, fetch)
      return entry.fetching as Promise<T>
    },
    forget(owner) {
      const key = keyOf(owner)
      const hadToken = entries.get(key)?.token != null
      entries.delete(key)
      return hadToken
    },
  }
}

function keyOf({ tenantId, credential }: TokenOwner): string {
  return createHash('sha256')
    .update(JSON.stringify([tenantId, credential]))
    .digest('base64')
}
