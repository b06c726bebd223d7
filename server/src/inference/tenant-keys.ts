// The provider keys of a tenant, opened for as long as a second: the store's document, else the database's. A change is
// known at once where the store tells of it, and within the second everywhere.

import type { Kysely } from 'kysely'
import type { SecretBox } from '../crypto/secret-box.ts'
import { isJsonObject, parseJson } from '../domain/json-object.ts'
import type { Log } from '../domain/log.ts'
import { type Store, StoreUnavailable } from '../kv/store.ts'
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

const freshMs = 1_000
const mostTenants = 10_000

export function createTenantKeys(parts: Parts): TenantKeyFinder {
  const { kv, now } = parts
  const entries = new Map<string, { keys: Promise<TenantKeys>; readAt: number }>()
  const unsubscribe = kv.subscribe(change => {
    if (change.kind === 'resync') entries.clear()
    else if (change.kind === 'provider-keys') entries.delete(change.tenantId)
  })

  return {
    get(tenantId) {
      const known = entries.get(tenantId)
      if (known !== undefined && now() - known.readAt < freshMs) return known.keys
      if (entries.size >= mostTenants) entries.clear()
      const entry = { keys: readKeys(parts, tenantId), readAt: now() }
      entries.set(tenantId, entry)
      // A reading that failed is no answer to those who come after.
      entry.keys.catch(() => {
        if (entries.get(tenantId) === entry) entries.delete(tenantId)
      })
      return entry.keys
    },
    stop: unsubscribe,
  }
}

async function readKeys(parts: Parts, tenantId: string): Promise<TenantKeys> {
  const document = parseJson(await readDocument(parts, tenantId))
  const stored = isJsonObject(document) ? (document as Record<string, StoredProviderKey>) : {}
  const opened = new Map<string, string>()
  return {
    has: provider => Object.hasOwn(stored, provider),
    open(provider) {
      const row = stored[provider]
      if (row === undefined) throw new Error('the tenant has no key of this provider')
      const { id: rowId, base_url_override: baseUrlOverride } = row
      const context = providerKeyContext({ tenantId, rowId, providerType: provider, baseUrlOverride })
      const key = opened.get(provider) ?? parts.secretBox.open(row.ciphertext, context)
      opened.set(provider, key)
      return { key, baseUrlOverride }
    },
  }
}

/** A store that was emptied does not know that a tenant has no keys: then the database says it. */
async function readDocument({ kv, sql, log }: Parts, tenantId: string): Promise<string> {
  try {
    const document = (await kv.findProviderKeys(tenantId)) ?? (await findWhereWhole(kv, tenantId))
    if (document !== null) return document.body
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    log.warn('provider keys read from the database', { tenant_id: tenantId })
  }
  return (await getProjectedProviderKeys(sql, tenantId)).body
}

/**
 * Looked for again while the store says before and after that it is whole: it may just have been filled, or emptied, between
 * two questions. Null: the store cannot say.
 */
async function findWhereWhole(kv: Parts['kv'], tenantId: string): Promise<{ body: string } | null> {
  if (!(await kv.isSeeded())) return null
  const document = await kv.findProviderKeys(tenantId)
  if (document !== null) return document
  return (await kv.isSeeded()) ? { body: '{}' } : null
}
