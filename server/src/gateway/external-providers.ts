// The projects' external identity providers as the verifier wants them: the rules of the live document with the key set
// that the worker stored, one object for as long as both are the same. Never fetches a key set itself.
import type { Kysely } from 'kysely'
import { type KeySetRules, readKeySet } from '../crypto/key-set.ts'
import type { ExternalProvider } from '../crypto/token-verifier.ts'
import { isJsonObject, parseJson } from '../domain/json-object.ts'
import type { IdentityProvider } from '../domain/live-config.ts'
import type { Log } from '../domain/log.ts'
import { type RevisionedText, type Store, StoreUnavailable } from '../kv/store.ts'
import { getProjectedKeySet } from '../storage/projections.ts'
import type { Schema } from '../storage/schema.ts'
import type { ProjectConfig } from './project-config.ts'

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

interface Entry {
  keySet: RevisionedText
  /** Made of the key set and these rules; null where the two do not belong together or the set is not usable. */
  rules: IdentityProvider
  provider: ExternalProvider | null
  staleAt: number
}

const mostEntries = 10_000
const retryMs = 1_000

export function createExternalProviders(parts: ExternalProviderParts): ExternalProviders {
  const { kv, now, cacheTtlMs, log } = parts
  const keyRules: KeySetRules = { algorithms: ['RS256', 'ES256', 'PS256', 'EdDSA'], reservedKids: parts.ownKids }
  const entries = new Map<string, Entry>()
  const readings = new Map<string, Promise<RevisionedText | null>>()
  /** What was read before a change may be what was there before it. */
  let changes = 0

  /** One reading at a time, whoever asks. */
  function read(projectId: string): Promise<RevisionedText | null> {
    const running = readings.get(projectId)
    if (running !== undefined) return running
    const reading = readKeySetText(parts, projectId).finally(() => readings.delete(projectId))
    readings.set(projectId, reading)
    return reading
  }

  async function refresh(projectId: string, rules: IdentityProvider): Promise<ExternalProvider | null> {
    const changesBefore = changes
    const found = await read(projectId)
    const known = entries.get(projectId)
    const isOlder = found !== null && known !== undefined && found.revision < known.keySet.revision
    const keySet = found === null || isOlder ? known?.keySet : found
    // Nobody could be asked and nothing is known: not even that there is none.
    if (keySet === undefined) return null
    const isSame = known !== undefined && known.rules === rules && known.keySet.revision === keySet.revision
    const provider = isSame ? known.provider : makeProvider(rules, keySet, keyRules, log, projectId)
    if (entries.size >= mostEntries) entries.clear()
    const life = changes !== changesBefore ? 0 : found === null ? retryMs : cacheTtlMs
    entries.set(projectId, { keySet, rules, provider, staleAt: now() + life })
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

async function readKeySetText(
  { kv, sql, log }: ExternalProviderParts,
  projectId: string,
): Promise<RevisionedText | null> {
  try {
    const stored = await kv.findKeySet(projectId)
    if (stored !== null) return stored
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
  }
  try {
    return await getProjectedKeySet(sql, projectId)
  } catch (error) {
    log.warn('key set not to be had from the database', { project_id: projectId, error })
    return null
  }
}

/** A set that was fetched from another address than the one now configured does not count. */
function makeProvider(
  rules: IdentityProvider,
  { body }: RevisionedText,
  keyRules: KeySetRules,
  log: Log,
  projectId: string,
): ExternalProvider | null {
  if (body === '') return null
  const document = parseJson(body)
  if (!isJsonObject(document) || document['jwks_url'] !== rules.jwks_url) return null
  const keySet = readKeySet(body, keyRules)
  if (typeof keySet === 'string') {
    log.error('stored key set is not usable', { project_id: projectId, reason: keySet })
    return null
  }
  const { issuer, audience, user_id_claim: userIdClaim, tier_claim: tierClaim } = rules
  return { issuer, audience, userIdClaim, tierClaim, keySet }
}
