// The keys that verify our own tokens: from this process if it publishes them, else fetched from the address of a
// process that does.
import {
  createFixedKeySource,
  type KeySetRules,
  type KeySource,
  maxKeySetBytes,
  readKeySet,
} from '../../crypto/keys/key-set.ts'
import { createRemoteKeySet } from '../../crypto/keys/remote-key-set.ts'
import type { Log } from '../../domain/log.ts'
import type { Outbound } from '../../outbound/outbound.ts'

export type OwnKeysOrigin =
  /** The published document, if this process publishes it itself. */
  { kind: 'document'; text: string } | { kind: 'address'; url: string; cacheTtlSeconds: number }

const rules: KeySetRules = { algorithms: ['RS256'], reservedKids: new Set() }
const timeoutMs = 5_000

export function createOwnKeys(
  origin: OwnKeysOrigin,
  { outbound, now, log }: { outbound: Outbound; now: () => number; log: Log },
): KeySource {
  if (origin.kind === 'document') {
    const keySet = readKeySet(origin.text, rules)
    if (typeof keySet === 'string') throw new Error('our own key set is not usable', { cause: keySet })
    return createFixedKeySource(keySet)
  }
  const { url, cacheTtlSeconds } = origin
  return createRemoteKeySet({
    url,
    cacheTtlSeconds,
    now,
    read: text => readKeySet(text, rules),
    async fetch(address, signal) {
      const { status, body } = await outbound.send({
        url: address,
        method: 'GET',
        headers: { accept: 'application/json' },
        guard: 'operator',
        timeoutMs,
        maxBytes: maxKeySetBytes,
        signal,
      })
      return { status, body: body.toString('utf8') }
    },
    onFailure: failure => log.warn('own key set could not be fetched', { reason: failure }),
  })
}
