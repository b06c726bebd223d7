// The projects' external identity providers as the verifier wants them: the rules of the live document with the key set
// that the worker stored, one object for as long as both are the same. Never fetches a key set itself.
import type { Kysely } from 'kysely'
import { type KeySet, type KeySetFault, type KeySetRules, readKeySet } from '../../crypto/keys/key-set.ts'
import type { ExternalProvider } from '../../crypto/tokens/token-verifier.ts'
import { isJsonObject, parseJson } from '../../domain/json-object.ts'
import type { Log } from '../../domain/log.ts'
import type { IdentityProvider } from '../../domain/settings/live-config.ts'
import { type RevisionedText, type Store, StoreUnavailable } from '../../kv/store.ts'
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

interface Entry {
  stored: StoredSet
  /** Made of the stored set and these rules; null where the two do not belong together or there are no keys. */
  rules: IdentityProvider
  provider: ExternalProvider | null
  staleAt: number
}

const maxEntries = 10_000
const retryMs = 1_000

export function createExternalProviders(parts: ExternalProviderParts): ExternalProviders {
  const { kv, now, cacheTtlMs } = parts
  const keyRules: KeySetRules = { algorithms: ['RS256', 'ES256', 'PS256', 'EdDSA'], reservedKids: parts.ownKids }
  const entries = new Map<string, Entry>()
  const readings = new Map<string, Promise<StoredSet | null>>()
  /** What was read before a change may be what was there before it. */
  let changes = 0

  /** One reading at a time, whoever asks. */
  function read(projectId: string): Promise<StoredSet | null> {
    const running = readings.get(projectId)
    if (running !== undefined) return running
    const parse = (text: RevisionedText) => parseStoredSet(text, keyRules, entries.get(projectId)?.stored)
    const reading = readStoredSet(parts, parse, projectId).finally(() => readings.delete(projectId))
    readings.set(projectId, reading)
    return reading
  }

  async function refresh(projectId: string, rules: IdentityProvider): Promise<ExternalProvider | null> {
    const changesBefore = changes
    const found = await read(projectId)
    const known = entries.get(projectId)
    const isOlder = found !== null && known !== undefined && found.revision < known.stored.revision
    const stored = found === null || isOlder ? known?.stored : found
    // Nobody could be asked and nothing is known: not even that there is none.
    if (stored === undefined) return null
    const isSame = known !== undefined && known.rules === rules && known.stored.revision === stored.revision
    const provider = isSame ? known.provider : makeProvider(rules, stored)
    if (entries.size >= maxEntries) entries.clear()
    const life = changes !== changesBefore ? 0 : found === null ? retryMs : cacheTtlMs
    entries.set(projectId, { stored, rules, provider, staleAt: now() + life })
    return provider
  }

  const unsubscribe = kv.subscribe(change => {
    if (change.kind !== 'resync' && change.kind !== 'key-set') return
    changes += 1
    readings.clear()
    for (const [projectId, entry] of entries) {
      if (change.kind === 'resync' || projectId === change.projectId) entry.staleAt = 0
    }
  })

  return {
    async find({ project: { projectId }, live: { identity_provider: rules } }) {
      if (rules === null) return null
      const entry = entries.get(projectId)
      if (entry !== undefined && entry.rules === rules && now() < entry.staleAt) return entry.provider
      return await refresh(projectId, rules)
    },
    stop: unsubscribe,
  }
}

/** The store's; the database's where the store lacks it, is away or has it damaged; null where nobody could be asked. */
async function readStoredSet(
  { kv, sql, log }: ExternalProviderParts,
  parse: (text: RevisionedText) => StoredSet | KeySetFault,
  projectId: string,
): Promise<StoredSet | null> {
  try {
    const text = await kv.findKeySet(projectId)
    const stored = text && parse(text)
    if (stored !== null && typeof stored !== 'string') return stored
    // A kid that became ours meanwhile is in the database, too.
    if (stored !== null && stored !== 'own_kid') {
      log.error('document in the store is damaged', { reason: 'key-set', project_id: projectId, code: stored })
    }
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
  }
  try {
    const text = await getProjectedKeySet(sql, projectId)
    const stored = parse(text)
    if (typeof stored !== 'string') return stored
    log.error('stored key set is not usable', { project_id: projectId, reason: stored })
    return { revision: text.revision, published: null }
  } catch (error) {
    log.warn('key set not to be had from the database', { project_id: projectId, error })
    return null
  }
}

/** The known one where it is the same, or what is wrong with it: it was written by these same rules, so it is damaged then. */
function parseStoredSet(
  { revision, body }: RevisionedText,
  keyRules: KeySetRules,
  known: StoredSet | undefined,
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
function makeProvider(rules: IdentityProvider, { published }: StoredSet): ExternalProvider | null {
  if (published === null || published.jwksUrl !== rules.jwks_url) return null
  const { issuer, audience, user_id_claim: userIdClaim, tier_claim: tierClaim } = rules
  return { issuer, audience, userIdClaim, tierClaim, keySet: published.keySet }
}
