// The projects' external identity providers as the verifier wants them: the rules of the live document with the key set
// that the worker stored, one object for as long as both are the same. Never fetches a key set itself.
import type { Kysely } from 'kysely'
import { type KeySet, type KeySetFault, type KeySetRules, readKeySet } from '../../crypto/keys/key-set.ts'
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
  /** Null where the project has none, or none whose keys are at hand. */
  find(config: ProjectConfig): Promise<ExternalProvider | null>
  stop(): void
}

interface ExternalProviderParts {
  kv: Pick<Store, 'findKeySet' | 'subscribe'>
  sql: Kysely<Schema>
  now: () => number
  log: Log
  cacheTtlMs: number
  /** Key ids of our own, which no external set may use. */
  ownKids: ReadonlySet<string>
}

interface StoredSet {
  revision: number
  /** Null where there are none, or none that may be used. */
  published: { jwksUrl: string; keySet: KeySet } | null
}

export function createExternalProviders(parts: ExternalProviderParts): ExternalProviders {
  const documents = new ProjectedDocuments(keySetSource(parts), { maxDocuments: 10_000 })
  /** One provider for as long as its rules and its stored set are the same. */
  const providers = new WeakMap<IdentityProvider, { stored: StoredSet; provider: ExternalProvider | null }>()

  function makeProvider(rules: IdentityProvider, stored: StoredSet): ExternalProvider | null {
    const known = providers.get(rules)
    if (known?.stored === stored) return known.provider
    const provider = describeProvider(rules, stored)
    providers.set(rules, { stored, provider })
    return provider
  }

  const unsubscribe = parts.kv.subscribe(change => {
    if (change.kind === 'resync') documents.supersedeAll()
    else if (change.kind === 'key-set') documents.supersede(change.projectId, change.revision)
  })

  return {
    async find({ project: { projectId }, live: { identity_provider: rules } }) {
      if (rules === null) return null
      // New rules may come before the change that brings their keys.
      const current = providers.has(rules) ? documents.find(projectId) : null
      const stored = current ?? (await documents.read(projectId, projectId))
      return stored && makeProvider(rules, stored)
    },
    stop: unsubscribe,
  }
}

function keySetSource({ kv, sql, now, log, cacheTtlMs, ownKids }: ExternalProviderParts) {
  const keyRules: KeySetRules = { algorithms: ['RS256', 'ES256', 'PS256', 'EdDSA'], reservedKids: ownKids }
  const source: DocumentSource<string, StoredSet> = {
    now,
    lifeMs: cacheTtlMs,
    async fromStore(projectId, known) {
      const text = await kv.findKeySet(projectId)
      const stored = text && parseStoredSet(text, keyRules, known)
      if (typeof stored !== 'string') return stored
      // A kid that became ours meanwhile is in the database, too.
      if (stored !== 'own_kid') {
        log.error('document in the store is damaged', { reason: 'key-set', project_id: projectId, code: stored })
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
      if (from === 'database') log.warn('key set not to be had from the database', { project_id: projectId, error })
    },
  }
  return source
}

/** The known one where it is the same, or what is wrong with it: it was written by these same rules, so it is damaged then. */
function parseStoredSet(
  { revision, body }: RevisionedText,
  keyRules: KeySetRules,
  known: StoredSet | null,
): StoredSet | KeySetFault {
  if (known?.revision === revision) return known
  if (body === '') return { revision, published: null }
  const keySet = readKeySet(body, keyRules)
  if (typeof keySet === 'string') return keySet
  const document = parseJson(body)
  const jwksUrl = isJsonObject(document) ? document['jwks_url'] : undefined
  return typeof jwksUrl === 'string' ? { revision, published: { jwksUrl, keySet } } : 'not_a_key_set'
}

/** A set that was fetched from another address than the one now configured does not count. */
function describeProvider(rules: IdentityProvider, { published }: StoredSet): ExternalProvider | null {
  if (published === null || published.jwksUrl !== rules.jwks_url) return null
  const { issuer, audience, user_id_claim: userIdClaim, tier_claim: tierClaim } = rules
  return { issuer, audience, userIdClaim, tierClaim, keySet: published.keySet }
}
