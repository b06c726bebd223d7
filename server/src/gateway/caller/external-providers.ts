// Builds each project's external identity provider for the token verifier: the rules of the live document with the key
// set that the worker stored. The object stays the same until either changes. Never fetches a key set itself.
import type { Kysely } from 'kysely'
import { type KeySet, type KeySetError, type KeySetRules, readKeySet } from '../../crypto/keys/key-set.ts'
import type { ExternalProvider } from '../../crypto/tokens/token-verifier.ts'
import { isJsonObject, parseJson } from '../../domain/json-object.ts'
import type { Log } from '../../domain/log.ts'
import type { IdentityProvider } from '../../domain/settings/live-config.ts'
import type { DocumentSource } from '../../kv/projected-document.ts'
import { ProjectedDocuments } from '../../kv/projected-documents.ts'
import type { RevisionedText, Store } from '../../kv/store.ts'
import { getProjectedKeySet } from '../../storage/projections.ts'
import type { Schema } from '../../storage/schema.ts'
import type { ProjectConfig } from '../project-config.ts'

export interface ExternalProviders {
  /** Null if the project has no identity provider, or none with a usable key set. */
  find(config: ProjectConfig): Promise<ExternalProvider | null>
  stop(): void
}

interface ExternalProviderDependencies {
  kv: Pick<Store, 'findKeySet' | 'subscribe'>
  sql: Kysely<Schema>
  now: () => number
  log: Log
  cacheTtlMs: number
  /** Key ids of our own, which an external key set must not use. */
  ownKids: ReadonlySet<string>
}

interface StoredSet {
  revision: number
  /** Null if there is no key set, or none that may be used. */
  published: { jwksUrl: string; keySet: KeySet } | null
}

export function createExternalProviders(dependencies: ExternalProviderDependencies): ExternalProviders {
  const documents = new ProjectedDocuments(keySetSource(dependencies), { maxDocuments: 10_000 })
  /** The same provider until its rules or its stored key set change. */
  const providers = new WeakMap<IdentityProvider, { stored: StoredSet; provider: ExternalProvider | null }>()

  function makeProvider(rules: IdentityProvider, stored: StoredSet): ExternalProvider | null {
    const known = providers.get(rules)
    if (known?.stored === stored) return known.provider
    const provider = describeProvider(rules, stored)
    providers.set(rules, { stored, provider })
    return provider
  }

  const unsubscribe = dependencies.kv.subscribe(change => {
    if (change.kind === 'resync') documents.supersedeAll()
    else if (change.kind === 'key-set') documents.supersede(change.projectId, change.revision)
  })

  return {
    async find({ project: { projectId }, live: { identity_provider: rules } }) {
      if (rules === null) return null
      // New rules may arrive before the change that brings their keys: then the key set is read again.
      const current = providers.has(rules) ? documents.find(projectId) : null
      const stored = current ?? (await documents.read(projectId, projectId))
      return stored && makeProvider(rules, stored)
    },
    stop: unsubscribe,
  }
}

function keySetSource({ kv, sql, now, log, cacheTtlMs, ownKids }: ExternalProviderDependencies) {
  const keyRules: KeySetRules = { algorithms: ['RS256', 'ES256', 'PS256', 'EdDSA'], reservedKids: ownKids }
  const source: DocumentSource<string, StoredSet> = {
    now,
    lifeMs: cacheTtlMs,
    async fromStore(projectId, known) {
      const text = await kv.findKeySet(projectId)
      const stored = text && parseStoredSet(text, keyRules, known)
      if (typeof stored !== 'string') return stored
      // Not corrupt: the key id became one of ours after the set was stored. The database holds the same set.
      if (stored !== 'own_kid') {
        log.error('document in the store is corrupt', { reason: 'key-set', project_id: projectId, code: stored })
      }
      return null
    },
    async fromDatabase(projectId, known) {
      const text = await getProjectedKeySet(sql, projectId)
      const stored = parseStoredSet(text, keyRules, known)
      if (typeof stored !== 'string') return stored
      log.error('stored key set is not usable', { project_id: projectId, reason: stored })
      return { revision: text.revision, published: null }
    },
    onUnavailable(from, projectId, error) {
      if (from === 'database') log.warn('key set could not be read from the database', { project_id: projectId, error })
    },
  }
  return source
}

/**
 * Returns the known set if its revision is the same, or why the set is not usable. Sets are checked by the same rules
 * before they are stored, so a set that is not usable is corrupt.
 */
function parseStoredSet(
  { revision, body }: RevisionedText,
  keyRules: KeySetRules,
  known: StoredSet | null,
): StoredSet | KeySetError {
  if (known?.revision === revision) return known
  if (body === '') return { revision, published: null }
  const keySet = readKeySet(body, keyRules)
  if (typeof keySet === 'string') return keySet
  const document = parseJson(body)
  const jwksUrl = isJsonObject(document) ? document['jwks_url'] : undefined
  return typeof jwksUrl === 'string' ? { revision, published: { jwksUrl, keySet } } : 'not_a_key_set'
}

/** Null also for a set that was fetched from another address than the one configured now. */
function describeProvider(rules: IdentityProvider, { published }: StoredSet): ExternalProvider | null {
  if (published === null || published.jwksUrl !== rules.jwks_url) return null
  const { issuer, audience, user_id_claim: userIdClaim, tier_claim: tierClaim } = rules
  return { issuer, audience, userIdClaim, tierClaim, keySet: published.keySet }
}
