// The keys of another issuer, by their id, fetched through the outbound client and cached.

import type { SignatureAlgorithm, VerifyingKey } from '../crypto/keys/check-signature.ts'
import { maxKeySetBytes, readKeySet } from '../crypto/keys/key-set.ts'
import { createRemoteKeySet, type FetchFailure } from '../crypto/keys/remote-key-set.ts'
import { Refusal, type RefusalCode } from '../domain/errors.ts'
import type { ManagementDependencies } from './dependencies.ts'

const cacheTtlSeconds = 300
const fetchTimeoutMs = 5000

interface RemoteKeys {
  /** The operator chose it. */
  url: string
  algorithms: readonly SignatureAlgorithm[]
  /** The refusal if a token can neither be accepted nor rejected, because there are no keys. */
  unavailable: RefusalCode
  onFailure(reason: FetchFailure): void
}

/** Null if the issuer has no such key. */
type FindRemoteKey = (kid: string) => Promise<VerifyingKey | null>

export function createRemoteKeys(
  { outbound, now }: Pick<ManagementDependencies, 'outbound' | 'now'>,
  { url, algorithms, unavailable, onFailure }: RemoteKeys,
): FindRemoteKey {
  const keySet = createRemoteKeySet({
    url,
    now,
    cacheTtlSeconds,
    async fetch(address, signal) {
      const request = {
        url: address,
        method: 'GET',
        headers: { accept: 'application/json' },
        guard: 'operator' as const,
      }
      const limits = { timeoutMs: fetchTimeoutMs, maxBytes: maxKeySetBytes, signal }
      const { status, body } = await outbound.send({ ...request, ...limits })
      return { status, body: body.toString('utf8') }
    },
    // Its keys are separate from the product's signing keys, so no kid is reserved.
    read: text => readKeySet(text, { algorithms, reservedKids: new Set() }),
    onFailure,
  })

  return async kid => {
    const atHand = keySet.current()
    const known = atHand ?? (await keySet.ready())
    const key = known?.keys.get(kid)
    if (key !== undefined) return key
    const sought = known === null ? null : await keySet.seek(atHand === null)
    if (sought === null) throw new Refusal(unavailable)
    return sought.keys.get(kid) ?? null
  }
}
