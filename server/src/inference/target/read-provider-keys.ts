// Reads a tenant's provider keys from the store, or from the database if the store's document is missing, invalid or
// cannot be decrypted. Must keep ciphertext only: a key that is decrypted as a check is discarded at once.

import type { Kysely } from 'kysely'
import { SealedSecretError, type SecretBox } from '../../crypto/secrets/secret-box.ts'
import { Refusal } from '../../domain/errors.ts'
import { isJsonObject, parseJson } from '../../domain/json-object.ts'
import { type PriceSchedule, readPriceSchedule } from '../../domain/prices/listed-prices.ts'
import { isTenantProvider } from '../../domain/provider.ts'
import type { DocumentSource, Projected } from '../../kv/projected-document.ts'
import type { RevisionedText, Store } from '../../kv/store.ts'
import type { SparseLog } from '../../log/sparse-log.ts'
import { readTenantModels } from '../../providers/models/tenant-model-list.ts'
import { providerKeyContext } from '../../providers/provider-key-context.ts'
import { getProjectedProviderKeys, pricesMember, type StoredProviderKey } from '../../storage/projections.ts'
import type { Schema } from '../../storage/schema.ts'
import { type RegisteredModel, tenantModel } from './model-registry.ts'

interface KeyReading {
  kv: Pick<Store, 'findProviderKeys' | 'isSeeded'>
  sql: Kysely<Schema>
  secretBox: SecretBox
  sparseLog: SparseLog
  now: () => number
}

/** A tenant's credentials as ciphertext, its models and prices. `isDoubtful` if a credential cannot be decrypted. */
export interface KnownKeys extends Projected {
  body: string
  rows: Readonly<Record<string, StoredProviderKey>>
  /** By id. */
  models: ReadonlyMap<string, RegisteredModel>
  /** By the id of the model. */
  prices: ReadonlyMap<string, PriceSchedule>
}

/** The document of a tenant that never had a key. */
const noKeys: RevisionedText = { revision: 0, body: '{}' }
/** How long a change takes to be noticed if it was not published. */
export const keyLifeMs = 1_000

/**
 * The database is read if the store may be wrong: it was emptied, it missed the removal of a key while it was
 * unavailable, or its document is invalid. If neither can be read, the last known keys are used for up to an hour,
 * unless a change was published since.
 */
export function providerKeySource(dependencies: KeyReading): DocumentSource<string, KnownKeys> {
  const { kv, sql, secretBox, sparseLog, now } = dependencies
  return {
    now,
    lifeMs: keyLifeMs,
    lastKnownMs: 60 * 60_000,
    dropsSuperseded: true,
    async fromStore(tenantId, last) {
      const stored = (await kv.findProviderKeys(tenantId)) ?? (await findInCompleteStore(kv, tenantId))
      if (stored === null) return null
      // The same document as before, whose keys could all be decrypted.
      if (last !== null && !last.isDoubtful && stored.revision === last.revision && stored.body === last.body)
        return last
      const keys = parseKeys(stored)
      if (keys === null) logInvalid(dependencies, tenantId)
      // The other keys still work; a call that needs a key that cannot be decrypted is rejected.
      return keys === null || canOpenAll(secretBox, tenantId, keys) ? keys : { ...keys, isDoubtful: true }
    },
    async fromDatabase(tenantId, best) {
      const keys = parseKeys(await getProjectedProviderKeys(sql, tenantId))
      if (keys === null) throw new Error('the rows of the provider keys make no document')
      if (best?.isDoubtful && best.body !== keys.body) logInvalid(dependencies, tenantId)
      return keys
    },
    isAnswer: error => !(error instanceof Refusal && error.code === 'database_unavailable'),
    onUnavailable(from, tenantId, error) {
      const fields = { tenant_id: tenantId, error }
      if (from === 'store') sparseLog.warn('provider keys read from the database', '', fields)
      else sparseLog.warn('provider keys could not be read from the database', '', fields)
    },
  }
}

/** Checked once for each document; the plain text is discarded. */
function canOpenAll(secretBox: SecretBox, tenantId: string, { rows }: KnownKeys): boolean {
  try {
    for (const [provider, row] of Object.entries(rows)) openKey(secretBox, tenantId, provider, row)
    return true
  } catch (error) {
    if (error instanceof SealedSecretError) return false
    throw error
  }
}

function logInvalid({ sparseLog }: KeyReading, tenantId: string): void {
  const fields = { reason: 'provider-keys', tenant_id: tenantId }
  sparseLog.error('document in the store is corrupt', tenantId, fields)
}

/**
 * Distinguishes a tenant without keys from an incomplete store. Looks up the document between two checks that the store
 * is complete, because it may be filled or emptied in between. Null if the store may be incomplete.
 */
async function findInCompleteStore(kv: KeyReading['kv'], tenantId: string): Promise<RevisionedText | null> {
  if (!(await kv.isSeeded())) return null
  const document = await kv.findProviderKeys(tenantId)
  if (document !== null) return document
  return (await kv.isSeeded()) ? noKeys : null
}

/** Null if any part is invalid. */
function parseKeys({ revision, body }: RevisionedText): KnownKeys | null {
  const document = parseJson(body)
  if (!isJsonObject(document)) return null
  const { [pricesMember]: prices = {}, ...rows } = document
  if (!isJsonObject(prices) || !Object.values(rows).every(isStoredKey)) return null
  const models = new Map<string, RegisteredModel>()
  for (const [provider, row] of Object.entries(rows as Record<string, StoredProviderKey>)) {
    if (row.models === undefined) continue
    const own = readTenantModels(row.models)
    if (own === null || !isTenantProvider(provider)) return null
    for (const model of own.map(each => tenantModel(provider, each))) models.set(model.id, model)
  }
  return {
    revision,
    body,
    rows: rows as Record<string, StoredProviderKey>,
    models,
    prices: new Map(Object.entries(prices).map(([model, dated]) => [model, readPriceSchedule(dated)])),
  }
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
