// Where a tenant's provider keys are read: in the store, and in the database where the store has them damaged or cannot say.
// Ciphertext: what is opened to see whether it can be is let go of at once.

import type { Kysely } from 'kysely'
import { SealedSecretError, type SecretBox } from '../../crypto/secrets/secret-box.ts'
import { Refusal } from '../../domain/errors.ts'
import { isJsonObject, parseJson } from '../../domain/json-object.ts'
import type { DocumentSource, Projected } from '../../kv/projected-document.ts'
import type { RevisionedText, Store } from '../../kv/store.ts'
import type { SparseLog } from '../../log/sparse-log.ts'
import { providerKeyContext } from '../../providers/provider-key-context.ts'
import { getProjectedProviderKeys, type StoredProviderKey } from '../../storage/projections.ts'
import type { Schema } from '../../storage/schema.ts'

interface KeyReading {
  kv: Pick<Store, 'findProviderKeys' | 'isSeeded'>
  sql: Kysely<Schema>
  secretBox: SecretBox
  sparseLog: SparseLog
  now: () => number
}

/** As the document has them: ciphertext. Doubtful: with a key that cannot be opened. */
export interface KnownKeys extends Projected {
  body: string
  rows: Readonly<Record<string, StoredProviderKey>>
}

/** Of a tenant that never had one. */
const noKeys: RevisionedText = { revision: 0, body: '{}' }
/** Where no change is published, one is known after this. */
export const keyLifeMs = 1_000

/**
 * A store that was emptied does not know that a tenant has no keys, one that was away may have missed that a key was taken
 * away, and one that holds keys damaged knows none: then the database says it. Used for an hour without either, as a key
 * set of the gateway's that cannot be fetched; never once a change was published.
 */
export function providerKeySource(parts: KeyReading): DocumentSource<string, KnownKeys> {
  const { kv, sql, secretBox, sparseLog, now } = parts
  return {
    now,
    lifeMs: keyLifeMs,
    lastKnownMs: 60 * 60_000,
    dropsSuperseded: true,
    async fromStore(tenantId, last) {
      const stored = (await kv.findProviderKeys(tenantId)) ?? (await findWhereWhole(kv, tenantId))
      if (stored === null) return null
      // Read and proven before.
      if (last !== null && !last.isDoubtful && stored.revision === last.revision && stored.body === last.body)
        return last
      const keys = parseKeys(stored)
      if (keys === null) tellDamaged(parts, tenantId)
      // The keys that can be opened serve; who asks for the other one is told.
      return keys === null || canOpenAll(secretBox, tenantId, keys) ? keys : { ...keys, isDoubtful: true }
    },
    async fromDatabase(tenantId, best) {
      const keys = parseKeys(await getProjectedProviderKeys(sql, tenantId))
      if (keys === null) throw new Error('the rows of the provider keys make no document')
      if (best?.isDoubtful && best.body !== keys.body) tellDamaged(parts, tenantId)
      return keys
    },
    isAnswer: error => !(error instanceof Refusal && error.code === 'database_unavailable'),
    onUnavailable(from, tenantId, error) {
      const fields = { tenant_id: tenantId, error }
      if (from === 'store') sparseLog.warn('provider keys read from the database', '', fields)
      else sparseLog.warn('provider keys not to be had from the database', '', fields)
    },
  }
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
