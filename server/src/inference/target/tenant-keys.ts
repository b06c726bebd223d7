// The provider keys of a tenant: the store's document, else the database's, else for an hour the one that was read last. A
// change is known at once where the store tells of it, and within a second everywhere. Keys in the clear are let go of within
// two seconds of their reading, asked for again or not; what is kept longer is ciphertext.

import type { Kysely } from 'kysely'
import { SealedSecretError, type SecretBox } from '../../crypto/secrets/secret-box.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Log } from '../../domain/log.ts'
import type { Store, StoreChange } from '../../kv/store.ts'
import { type SparseLog, sparseLogOf } from '../../log/sparse-log.ts'
import type { StoredProviderKey } from '../../storage/projections.ts'
import type { Schema } from '../../storage/schema.ts'
import { isAway, type KnownKeys, openKey, readKeys } from './read-provider-keys.ts'

export interface TenantKeys {
  has(provider: string): boolean
  /** The key in the clear and the address it may be sent to; a refusal where it cannot be opened. */
  open(provider: string): { key: string; baseUrlOverride: string | null }
}

export interface TenantKeyFinder {
  /** At once where they were read a moment ago. */
  get(tenantId: string): TenantKeys | Promise<TenantKeys>
  stop(): void
}

interface Parts {
  kv: Pick<Store, 'findProviderKeys' | 'isSeeded' | 'subscribe'>
  sql: Kysely<Schema>
  secretBox: SecretBox
  now: () => number
  log: Log
}

interface Reading extends Parts {
  sparseLog: SparseLog
}

interface Entry {
  /** As they are once their reading is over. */
  keys: TenantKeys | Promise<TenantKeys>
  readAt: number
  isReading: boolean
}

const freshMs = 1_000
/** As long as a key set of the gateway's goes on that cannot be fetched. */
const lastKnownMs = 60 * 60_000
const maxTenants = 10_000

export function createTenantKeys(parts: Parts): TenantKeyFinder {
  return new Finder(parts)
}

class Finder implements TenantKeyFinder {
  readonly #parts: Reading
  /** The only place that keeps opened keys beyond their request. */
  readonly #entries = new Map<string, Entry>()
  readonly #lastKnown: ReturnType<typeof createLastKnown>
  readonly #sweeper = setInterval(() => this.#sweep(), freshMs).unref()
  readonly #unsubscribe: () => void

  constructor(parts: Parts) {
    this.#parts = { ...parts, sparseLog: sparseLogOf(parts.log) }
    this.#lastKnown = createLastKnown(parts.now)
    this.#unsubscribe = parts.kv.subscribe(change => this.#hear(change))
  }

  get(tenantId: string): TenantKeys | Promise<TenantKeys> {
    const known = this.#entries.get(tenantId)
    return (known !== undefined && this.#isFresh(known) ? known : this.#read(tenantId)).keys
  }

  stop(): void {
    clearInterval(this.#sweeper)
    this.#unsubscribe()
  }

  #hear(change: StoreChange): void {
    if (change.kind === 'resync') this.#entries.clear()
    else if (change.kind === 'provider-keys') {
      this.#entries.delete(change.tenantId)
      this.#lastKnown.dropOlder(change.tenantId, change.revision)
    }
  }

  #isFresh({ readAt }: Entry): boolean {
    return this.#parts.now() - readAt < freshMs
  }

  #sweep(): void {
    for (const [tenantId, entry] of this.#entries) {
      if (!entry.isReading && !this.#isFresh(entry)) this.#entries.delete(tenantId)
    }
  }

  #read(tenantId: string): Entry {
    const entry: Entry = {
      readAt: this.#parts.now(),
      isReading: true,
      keys: readKeys(this.#parts, tenantId, this.#lastKnown.newest(tenantId)).then(
        known => this.#take(tenantId, entry, known),
        error => this.#goOnByLastKnown(tenantId, entry, error),
      ),
    }
    this.#entries.set(tenantId, entry)
    return entry
  }

  #take(tenantId: string, entry: Entry, known: KnownKeys): TenantKeys {
    entry.isReading = false
    // Of two readings the later one counts, and none that a change has overtaken.
    if (this.#entries.get(tenantId) === entry) this.#lastKnown.put(tenantId, known, entry.readAt)
    entry.keys = describeKeys(this.#parts, tenantId, known)
    return entry.keys
  }

  #goOnByLastKnown(tenantId: string, entry: Entry, error: unknown): TenantKeys {
    entry.isReading = false
    const current = this.#entries.get(tenantId)
    // A reading that failed is no answer to those who come after.
    if (current === entry) this.#entries.delete(tenantId)
    // A database that answers has the last word.
    if (!isAway(error)) this.#lastKnown.drop(tenantId)
    const known = this.#lastKnown.find(tenantId)
    if (known === null) throw error
    this.#parts.log.warn('provider keys as they were last known', { tenant_id: tenantId })
    // For the next second, also in the place of a reading that began meanwhile and may wait as long in vain.
    if (current === entry || current?.isReading) {
      this.#entries.set(tenantId, { ...entry, readAt: this.#parts.now() })
    }
    return describeKeys(this.#parts, tenantId, known)
  }
}

/** What was read last of each tenant, for as long as nobody can be asked: ciphertext, in the order of the readings. */
function createLastKnown(now: () => number) {
  const known = new Map<string, { keys: KnownKeys; readAt: number }>()
  return {
    put(tenantId: string, keys: KnownKeys, readAt: number): void {
      known.delete(tenantId)
      known.set(tenantId, { keys, readAt })
      for (const [oldest, entry] of known) {
        if (known.size <= maxTenants && readAt - entry.readAt < lastKnownMs) break
        known.delete(oldest)
      }
    },
    find(tenantId: string): KnownKeys | null {
      const entry = known.get(tenantId)
      return entry !== undefined && now() - entry.readAt < lastKnownMs ? entry.keys : null
    },
    /** However old: what it was then the store or the database may say again. */
    newest: (tenantId: string): KnownKeys | null => known.get(tenantId)?.keys ?? null,
    dropOlder(tenantId: string, revision: number): void {
      const entry = known.get(tenantId)
      if (entry !== undefined && entry.keys.revision < revision) known.delete(tenantId)
    },
    drop: (tenantId: string) => void known.delete(tenantId),
  }
}

function describeKeys(parts: Reading, tenantId: string, { rows }: KnownKeys): TenantKeys {
  const opened = new Map<string, string>()
  return {
    has: provider => Object.hasOwn(rows, provider),
    open(provider) {
      const row = rows[provider]
      if (row === undefined) throw new Error('the tenant has no key of this provider')
      const key = opened.get(provider) ?? openOrRefuse(parts, tenantId, provider, row)
      opened.set(provider, key)
      return { key, baseUrlOverride: row.base_url_override }
    },
  }
}

/** Says what is wrong with the one key; those of other providers serve. */
function openOrRefuse({ secretBox, sparseLog }: Reading, tenantId: string, provider: string, row: StoredProviderKey) {
  try {
    return openKey(secretBox, tenantId, provider, row)
  } catch (error) {
    if (!(error instanceof SealedSecretError)) throw error
    const fields = { tenant_id: tenantId, provider, reason: error.reason }
    sparseLog.error('provider key cannot be opened', `${tenantId} ${provider}`, fields)
    throw new Refusal('provider_key_unreadable', { cause: error })
  }
}
