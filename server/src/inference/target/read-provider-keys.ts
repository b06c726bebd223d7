// A tenant's provider keys as the store has them, or the database where the store has them damaged or cannot say. Ciphertext:
// what is opened to see whether it can be is let go of at once.

import type { Kysely } from 'kysely'
import { SealedSecretError, type SecretBox } from '../../crypto/secrets/secret-box.ts'
import { Refusal } from '../../domain/errors.ts'
import { isJsonObject, parseJson } from '../../domain/json-object.ts'
import type { Log } from '../../domain/log.ts'
import { type RevisionedText, type Store, StoreUnavailable } from '../../kv/store.ts'
import type { SparseLog } from '../../log/sparse-log.ts'
import { providerKeyContext } from '../../providers/provider-key-context.ts'
import { getProjectedProviderKeys, type StoredProviderKey } from '../../storage/projections.ts'
import type { Schema } from '../../storage/schema.ts'

interface KeyReading {
  kv: Pick<Store, 'findProviderKeys' | 'isSeeded'>
  sql: Kysely<Schema>
  secretBox: SecretBox
  log: Log
  sparseLog: SparseLog
}

/** As the document has them: ciphertext. */
export interface KnownKeys extends RevisionedText {
  rows: Readonly<Record<string, StoredProviderKey>>
  /** The store's, with a key that cannot be opened, while the database was away: it is to be asked yet. */
  isDoubtful?: true
}

/** Of a tenant that never had one. */
const noKeys: RevisionedText = { revision: 0, body: '{}' }

/**
 * A store that was emptied does not know that a tenant has no keys, one that was away may have missed that a key was taken
 * away, and one that holds keys damaged knows none: then the database says it.
 */
export async function readKeys(parts: KeyReading, tenantId: string, last: KnownKeys | null): Promise<KnownKeys> {
  const stored = await findStored(parts, tenantId)
  // Read and proven before.
  if (last !== null && !last.isDoubtful && stored?.revision === last.revision && stored.body === last.body) return last
  const isNewest = stored !== null && stored.revision >= (last?.revision ?? 0)
  const keys = isNewest ? parseKeys(stored) : null
  if (keys !== null && canOpenAll(parts.secretBox, tenantId, keys)) return keys
  if (isNewest && keys === null) tellDamaged(parts, tenantId)
  try {
    const known = parseKeys(await getProjectedProviderKeys(parts.sql, tenantId))
    if (known === null) throw new Error('the rows of the provider keys make no document')
    if (keys !== null && keys.body !== known.body) tellDamaged(parts, tenantId)
    return known
  } catch (error) {
    // The keys that can be opened serve; who asks for the other one is told.
    if (keys !== null && isAway(error)) return { ...keys, isDoubtful: true }
    throw error
  }
}

export function isAway(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'database_unavailable'
}

/** Once for each document; what was opened is not kept. */
function canOpenAll(secretBox: SecretBox, tenantId: string, { rows }: KnownKeys): boolean {
  try {
    for (const [provider, row] of Object.entries(rows)) openKey(secretBox, tenantId, provider, row)
    return true
  } catch (error) {
    if (error instanceof SealedSecretError) return false
    throw error
  }
}

function tellDamaged({ sparseLog }: KeyReading, tenantId: string): void {
  const fields = { reason: 'provider-keys', tenant_id: tenantId }
  sparseLog.error('document in the store is damaged', tenantId, fields)
}

/** Null where the store cannot say. */
async function findStored({ kv, log }: KeyReading, tenantId: string): Promise<RevisionedText | null> {
  try {
    return (await kv.findProviderKeys(tenantId)) ?? (await findWhereWhole(kv, tenantId))
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    log.warn('provider keys read from the database', { tenant_id: tenantId })
    return null
  }
}

/**
 * Looked for again while the store says before and after that it is whole: it may just have been filled, or emptied, between
 * two questions. Null: the store cannot say.
 */
async function findWhereWhole(kv: KeyReading['kv'], tenantId: string): Promise<RevisionedText | null> {
  if (!(await kv.isSeeded())) return null
  const document = await kv.findProviderKeys(tenantId)
  if (document !== null) return document
  return (await kv.isSeeded()) ? noKeys : null
}

/** Null where any part is damaged. */
function parseKeys({ revision, body }: RevisionedText): KnownKeys | null {
  const rows = parseJson(body)
  if (!isJsonObject(rows) || !Object.values(rows).every(isStoredKey)) return null
  return { revision, body, rows: rows as Record<string, StoredProviderKey> }
}

function isStoredKey(row: unknown): row is StoredProviderKey {
  if (!isJsonObject(row)) return false
  const { id, ciphertext, base_url_override: address } = row
  return typeof id === 'string' && typeof ciphertext === 'string' && (address === null || typeof address === 'string')
}

export function openKey(secretBox: SecretBox, tenantId: string, providerType: string, row: StoredProviderKey): string {
  const { id: rowId, ciphertext, base_url_override: baseUrlOverride } = row
  return secretBox.open(ciphertext, providerKeyContext({ tenantId, rowId, providerType, baseUrlOverride }))
}
