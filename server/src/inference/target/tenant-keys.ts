// Caches the provider keys of tenants, with their own models and prices. A published change is applied at once, any
// other within a second. Plain-text keys are kept for at most two seconds, used or not; ciphertext is kept longer.

import type { Kysely } from 'kysely'
import { createTicker } from '../../collections/ticker.ts'
import { SealedSecretError, type SecretBox } from '../../crypto/secrets/secret-box.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Log } from '../../domain/log.ts'
import type { PriceSchedule } from '../../domain/prices/listed-prices.ts'
import { ProjectedDocuments } from '../../kv/projected-documents.ts'
import type { Store } from '../../kv/store.ts'
import { type SparseLog, sparseLogOf } from '../../log/sparse-log.ts'
import type { StoredProviderKey } from '../../storage/projections.ts'
import type { Schema } from '../../storage/schema.ts'
import type { RegisteredModel } from './model-registry.ts'
import { type KnownKeys, keyLifeMs, openKey, providerKeySource } from './read-provider-keys.ts'

export interface TenantKeys {
  has(provider: string): boolean
  /** The plain-text credential and the address it may be sent to. Throws a Refusal if it cannot be decrypted. */
  open(provider: string): { credential: string; baseUrlOverride: string | null }
  /** The tenant's own models, by id. No other tenant sees them. */
  models: ReadonlyMap<string, RegisteredModel>
  /** What the tenant has set itself, by the id of the model. */
  prices: ReadonlyMap<string, PriceSchedule>
}

export interface TenantKeyFinder {
  /** Null if they have to be read first. */
  find(tenantId: string): TenantKeys | null
  get(tenantId: string): Promise<TenantKeys>
  stop(): void
}

interface Dependencies {
  kv: Pick<Store, 'findProviderKeys' | 'isSeeded' | 'subscribe'>
  sql: Kysely<Schema>
  secretBox: SecretBox
  now: () => number
  log: Log
}

interface Opener {
  secretBox: SecretBox
  sparseLog: SparseLog
}

interface OpenedKeys {
  /** The ciphertext. */
  known: KnownKeys
  keys: TenantKeys
  freshUntil: number
}

export function createTenantKeys(dependencies: Dependencies): TenantKeyFinder {
  return new Finder(dependencies)
}

class Finder implements TenantKeyFinder {
  readonly #now: () => number
  readonly #opener: Opener
  readonly #documents: ProjectedDocuments<string, KnownKeys>
  /** The only plain-text keys that outlive their request. */
  readonly #opened = new Map<string, OpenedKeys>()
  readonly #sweeper = createTicker(keyLifeMs, () => this.#sweep())
  readonly #unsubscribe: () => void

  constructor(dependencies: Dependencies) {
    const sparseLog = sparseLogOf(dependencies.log)
    this.#now = dependencies.now
    this.#opener = { secretBox: dependencies.secretBox, sparseLog }
    this.#documents = new ProjectedDocuments(providerKeySource({ ...dependencies, sparseLog }), {
      maxDocuments: 10_000,
    })
    this.#unsubscribe = dependencies.kv.subscribe(change => {
      if (change.kind === 'resync') this.#documents.supersedeAll()
      else if (change.kind === 'provider-keys') this.#documents.supersede(change.tenantId, change.revision)
    })
  }

  find(tenantId: string): TenantKeys | null {
    const known = this.#documents.find(tenantId)
    return known && this.#open(tenantId, known)
  }

  async get(tenantId: string): Promise<TenantKeys> {
    const known = this.#documents.find(tenantId) ?? (await this.#documents.read(tenantId, tenantId))
    if (known === null) throw new Refusal('database_unavailable')
    return this.#open(tenantId, known)
  }

  stop(): void {
    this.#sweeper.stop()
    this.#unsubscribe()
  }

  #open(tenantId: string, known: KnownKeys): TenantKeys {
    const opened = this.#opened.get(tenantId)
    if (opened?.known === known && this.#now() < opened.freshUntil) return opened.keys
    const keys = describeKeys(this.#opener, tenantId, known)
    this.#opened.set(tenantId, { known, keys, freshUntil: this.#now() + keyLifeMs })
    this.#sweeper.start()
    return keys
  }

  /** Returns whether any is left. */
  #sweep(): boolean {
    const now = this.#now()
    for (const [tenantId, { freshUntil }] of this.#opened) if (now >= freshUntil) this.#opened.delete(tenantId)
    return this.#opened.size > 0
  }
}

function describeKeys(opener: Opener, tenantId: string, { rows, models, prices }: KnownKeys): TenantKeys {
  const opened = new Map<string, string>()
  return {
    models,
    prices,
    has: provider => Object.hasOwn(rows, provider),
    open(provider) {
      const row = rows[provider]
      if (row === undefined) throw new Error('the tenant has no key of this provider')
      const credential = opened.get(provider) ?? openOrRefuse(opener, tenantId, provider, row)
      opened.set(provider, credential)
      return { credential, baseUrlOverride: row.base_url_override }
    },
  }
}

/** A key that cannot be decrypted fails by itself; those of other providers still work. */
function openOrRefuse({ secretBox, sparseLog }: Opener, tenantId: string, provider: string, row: StoredProviderKey) {
  try {
    return openKey(secretBox, tenantId, provider, row)
  } catch (error) {
    if (!(error instanceof SealedSecretError)) throw error
    const fields = { tenant_id: tenantId, provider, reason: error.reason }
    sparseLog.error('provider key cannot be decrypted', `${tenantId} ${provider}`, fields)
    throw new Refusal('provider_key_unreadable', { cause: error })
  }
}
