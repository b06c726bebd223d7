// The provider keys of a tenant: the store's document, else the database's, else for an hour the one that was read last. A
// change is known at once where the store tells of it, and within a second everywhere. Keys in the clear are let go of within
// two seconds of their reading, asked for again or not; what is kept longer is ciphertext.

import type { Kysely } from 'kysely'
import type { SecretBox } from '../crypto/secret-box.ts'
import { Refusal } from '../domain/errors.ts'
import { isJsonObject, parseJson } from '../domain/json-object.ts'
import type { Log } from '../domain/log.ts'
import { type Change, type RevisionedText, type Store, StoreUnavailable } from '../kv/store.ts'
import { providerKeyContext } from '../providers/provider-key-context.ts'
import { getProjectedProviderKeys, type StoredProviderKey } from '../storage/projections.ts'
import type { Schema } from '../storage/schema.ts'

export interface TenantKeys {
  has(provider: string): boolean
  /** The key in the clear and the address it may be sent to; throws where it cannot be opened. */
  open(provider: string): { key: string; baseUrlOverride: string | null }
}

export interface TenantKeyFinder {
  get(tenantId: string): Promise<TenantKeys>
  stop(): void
}

interface Parts {
  kv: Pick<Store, 'findProviderKeys' | 'isSeeded' | 'subscribe'>
  sql: Kysely<Schema>
  secretBox: SecretBox
  now: () => number
  log: Log
}

interface Entry {
  keys: Promise<TenantKeys>
  readAt: number
  isReading: boolean
}

const freshMs = 1_000
/** As long as a key set of the gateway's goes on that cannot be fetched. */
const lastKnownMs = 60 * 60_000
const mostTenants = 10_000
/** Of a tenant that never had one. */
const noKeys: RevisionedText = { revision: 0, body: '{}' }

export function createTenantKeys(parts: Parts): TenantKeyFinder {
  return new Finder(parts)
}

class Finder implements TenantKeyFinder {
  readonly #parts: Parts
  /** The only place that keeps opened keys beyond their request. */
  readonly #entries = new Map<string, Entry>()
  readonly #lastKnown: ReturnType<typeof createLastKnown>
  readonly #sweeper = setInterval(() => this.#sweep(), freshMs).unref()
  readonly #unsubscribe: () => void

  constructor(parts: Parts) {
    this.#parts = parts
    this.#lastKnown = createLastKnown(parts.now)
    this.#unsubscribe = parts.kv.subscribe(change => this.#hear(change))
  }

  get(tenantId: string): Promise<TenantKeys> {
    const known = this.#entries.get(tenantId)
    return (known !== undefined && this.#isFresh(known) ? known : this.#read(tenantId)).keys
  }

  stop(): void {
    clearInterval(this.#sweeper)
    this.#unsubscribe()
  }

  #hear(change: Change): void {
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
      keys: readDocument(this.#parts, tenantId, this.#lastKnown.revisionOf(tenantId)).then(
        document => this.#take(tenantId, entry, document),
        error => this.#goOnByLastKnown(tenantId, entry, error),
      ),
    }
    this.#entries.set(tenantId, entry)
    return entry
  }

  #take(tenantId: string, entry: Entry, document: RevisionedText): TenantKeys {
    entry.isReading = false
    // Of two readings the later one counts, and none that a change has overtaken.
    if (this.#entries.get(tenantId) === entry) this.#lastKnown.put(tenantId, document, entry.readAt)
    return describeKeys(this.#parts, tenantId, document)
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
  const known = new Map<string, { document: RevisionedText; readAt: number }>()
  return {
    put(tenantId: string, document: RevisionedText, readAt: number): void {
      known.delete(tenantId)
      known.set(tenantId, { document, readAt })
      for (const [oldest, entry] of known) {
        if (known.size <= mostTenants && readAt - entry.readAt < lastKnownMs) break
        known.delete(oldest)
      }
    },
    find(tenantId: string): RevisionedText | null {
      const entry = known.get(tenantId)
      return entry !== undefined && now() - entry.readAt < lastKnownMs ? entry.document : null
    },
    revisionOf: (tenantId: string): number => known.get(tenantId)?.document.revision ?? 0,
    dropOlder(tenantId: string, revision: number): void {
      const entry = known.get(tenantId)
      if (entry !== undefined && entry.document.revision < revision) known.delete(tenantId)
    },
    drop: (tenantId: string) => void known.delete(tenantId),
  }
}

function isAway(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'database_unavailable'
}

function describeKeys({ secretBox }: Parts, tenantId: string, { body }: RevisionedText): TenantKeys {
  const document = parseJson(body)
  const stored = isJsonObject(document) ? (document as Record<string, StoredProviderKey>) : {}
  const opened = new Map<string, string>()
  return {
    has: provider => Object.hasOwn(stored, provider),
    open(provider) {
      const row = stored[provider]
      if (row === undefined) throw new Error('the tenant has no key of this provider')
      const { id: rowId, base_url_override: baseUrlOverride } = row
      const context = providerKeyContext({ tenantId, rowId, providerType: provider, baseUrlOverride })
      const key = opened.get(provider) ?? secretBox.open(row.ciphertext, context)
      opened.set(provider, key)
      return { key, baseUrlOverride }
    },
  }
}

/**
 * A store that was emptied does not know that a tenant has no keys, and one that was away may have missed that a key was
 * taken away: then the database says it.
 */
async function readDocument({ kv, sql, log }: Parts, tenantId: string, knownRevision: number): Promise<RevisionedText> {
  try {
    const document = (await kv.findProviderKeys(tenantId)) ?? (await findWhereWhole(kv, tenantId))
    if (document !== null && document.revision >= knownRevision) return document
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    log.warn('provider keys read from the database', { tenant_id: tenantId })
  }
  return await getProjectedProviderKeys(sql, tenantId)
}

/**
 * Looked for again while the store says before and after that it is whole: it may just have been filled, or emptied, between
 * two questions. Null: the store cannot say.
 */
async function findWhereWhole(kv: Parts['kv'], tenantId: string): Promise<RevisionedText | null> {
  if (!(await kv.isSeeded())) return null
  const document = await kv.findProviderKeys(tenantId)
  if (document !== null) return document
  return (await kv.isSeeded()) ? noKeys : null
}
