// The provider keys of a tenant, opened for as long as a second: the store's document, else the database's, else for an
// hour the one that was read last. A change is known at once where the store tells of it, and within the second everywhere.

import type { Kysely } from 'kysely'
import type { SecretBox } from '../crypto/secret-box.ts'
import { Refusal } from '../domain/errors.ts'
import { isJsonObject, parseJson } from '../domain/json-object.ts'
import type { Log } from '../domain/log.ts'
import { type RevisionedText, type Store, StoreUnavailable } from '../kv/store.ts'
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
}

const freshMs = 1_000
/** As long as a key set of the gateway's goes on that cannot be fetched. */
const lastKnownMs = 60 * 60_000
const mostTenants = 10_000
/** Of a tenant that never had one. */
const noKeys: RevisionedText = { revision: 0, body: '{}' }

export function createTenantKeys(parts: Parts): TenantKeyFinder {
  const { kv, now, log } = parts
  const entries = new Map<string, Entry>()
  const lastKnown = createLastKnown(now)
  const unsubscribe = kv.subscribe(change => {
    if (change.kind === 'resync') entries.clear()
    else if (change.kind === 'provider-keys') {
      entries.delete(change.tenantId)
      lastKnown.dropOlder(change.tenantId, change.revision)
    }
  })

  function read(tenantId: string): Entry {
    const entry: Entry = {
      readAt: now(),
      keys: readDocument(parts, tenantId, lastKnown.revisionOf(tenantId)).then(
        document => take(tenantId, entry, document),
        error => goOnByLastKnown(tenantId, entry, error),
      ),
    }
    if (entries.size >= mostTenants) entries.clear()
    entries.set(tenantId, entry)
    return entry
  }

  function take(tenantId: string, entry: Entry, document: RevisionedText): TenantKeys {
    // Of two readings the later one counts, and none that a change has overtaken.
    if (entries.get(tenantId) === entry) lastKnown.put(tenantId, document, entry.readAt)
    return describeKeys(parts, tenantId, document)
  }

  function goOnByLastKnown(tenantId: string, entry: Entry, error: unknown): TenantKeys {
    const isCurrent = entries.get(tenantId) === entry
    // A reading that failed is no answer to those who come after.
    if (isCurrent) entries.delete(tenantId)
    // A database that answers has the last word.
    if (!isAway(error)) lastKnown.drop(tenantId)
    const known = lastKnown.find(tenantId)
    if (known === null) throw error
    log.warn('provider keys as they were last known', { tenant_id: tenantId })
    if (isCurrent) entries.set(tenantId, { keys: entry.keys, readAt: now() })
    return describeKeys(parts, tenantId, known)
  }

  return {
    get(tenantId) {
      const known = entries.get(tenantId)
      const isFresh = known !== undefined && now() - known.readAt < freshMs
      return (isFresh ? known : read(tenantId)).keys
    },
    stop: unsubscribe,
  }
}

/** What was read last of each tenant, for as long as nobody can be asked: ciphertext, in the order of the readings. */
function createLastKnown(now: () => number) {
  const known = new Map<string, { document: RevisionedText; readAt: number }>()
  return {
    put(tenantId: string, document: RevisionedText, readAt: number): void {
      known.delete(tenantId)
      known.set(tenantId, { document, readAt })
      if (known.size <= mostTenants) return
      const [oldest] = known.keys()
      if (oldest !== undefined) known.delete(oldest)
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
