// Fetches the key set of every project's external identity provider and stores the last valid one, in the database and
// in the store. An external server must only be able to add a valid set, never to remove one or delay others.

import type { Kysely } from 'kysely'
import { type KeySet, type KeySetError, type KeySetRules, maxKeySetBytes, readKeySet } from '../crypto/keys/key-set.ts'
import { StoreUnavailable } from '../kv/store.ts'
import { OutboundFailure } from '../outbound/failure.ts'
import { getProjectedKeySet, keySetRevision, raiseRevision } from '../storage/projections.ts'
import type { Schema } from '../storage/schema.ts'
import { transact } from '../storage/transact.ts'
import type { Job, WorkerDependencies } from './job.ts'

/** Providers that responded last time, and those that did not, which must never delay the first. */
const concurrency = { responsive: 24, failing: 8 }

/** One address of one tenant, for all of its projects that use it. */
interface Source {
  tenantId: string
  jwksUrl: string
  projectIds: string[]
  isFailing: boolean
}

export function syncKeySets(cycleMs: number, ownKids: ReadonlySet<string>): Job {
  const rules: KeySetRules = { algorithms: ['RS256', 'ES256', 'PS256', 'EdDSA'], reservedKids: ownKids }
  const timeoutMs = Math.min(5000, Math.max(2000, (cycleMs * 2) / 3))
  let triedAt = new Map<string, number>()

  return {
    name: 'sync-key-sets',
    // Checks more often than it fetches: a new provider does not wait long, and a slow one still leaves time in the
    // cycle.
    everyMs: cycleMs / 3,
    runsBeforeReady: false,
    async run(dependencies, signal) {
      const { now } = dependencies
      const startedAt = now()
      const sources = await listSources(dependencies.sql)
      // Drops sources that no project uses any more.
      triedAt = new Map(sources.map(source => [nameOf(source), triedAt.get(nameOf(source)) ?? 0]))
      const due = sources.filter(source => (triedAt.get(nameOf(source)) ?? 0) <= startedAt - cycleMs / 2)
      const sync = async (source: Source) => {
        if (signal.aborted || now() > startedAt + timeoutMs) return
        triedAt.set(nameOf(source), now())
        await syncSource(dependencies, source, { rules, timeoutMs, signal })
      }
      const { responsive = [], failing = [] } = Object.groupBy(shuffled(due), source =>
        source.isFailing ? 'failing' : 'responsive',
      )
      await Promise.all([
        runLimited(concurrency.responsive, responsive, sync),
        runLimited(concurrency.failing, failing, sync),
      ])
    },
  }
}

const nameOf = ({ tenantId, jwksUrl }: Source) => `${tenantId} ${jwksUrl}`

async function listSources(sql: Kysely<Schema>): Promise<Source[]> {
  const rows = await sql
    .selectFrom('identity_providers')
    .innerJoin('projects', 'projects.id', 'identity_providers.project_id')
    .select(['identity_providers.project_id', 'projects.tenant_id', 'identity_providers.jwks_url'])
    .select('identity_providers.last_error')
    .where('projects.status', '=', 'active')
    .execute()
  const groups = Map.groupBy(rows, row => `${row.tenant_id} ${row.jwks_url}`)
  return [...groups.values()].flatMap(group => {
    const [first] = group
    if (first === undefined) return []
    const projectIds = group.map(row => row.project_id)
    const isFailing = group.some(row => row.last_error !== null)
    return [{ tenantId: first.tenant_id, jwksUrl: first.jwks_url, projectIds, isFailing }]
  })
}

interface Bounds {
  rules: KeySetRules
  timeoutMs: number
  signal: AbortSignal
}

async function syncSource(dependencies: WorkerDependencies, source: Source, bounds: Bounds): Promise<void> {
  const keySet = await fetchKeySet(dependencies, source, bounds)
  if (bounds.signal.aborted) return
  for (const projectId of source.projectIds) {
    if (typeof keySet === 'string') await noteError(dependencies, projectId, source.jwksUrl, keySet)
    else await storeKeySet(dependencies, projectId, source.jwksUrl, writeKeySet(keySet))
  }
}

/** Returns the set, or the reason for its absence as text for the tenant. */
async function fetchKeySet(
  { outbound, log }: WorkerDependencies,
  source: Source,
  bounds: Bounds,
): Promise<KeySet | string> {
  const { tenantId, jwksUrl } = source
  try {
    const { status, body } = await outbound.send({
      url: jwksUrl,
      method: 'GET',
      headers: { accept: 'application/json' },
      guard: 'tenant',
      tenantId,
      timeoutMs: bounds.timeoutMs,
      maxBytes: maxKeySetBytes,
      signal: bounds.signal,
    })
    if (status !== 200) return `The address responded with status ${status}`
    const keySet = readKeySet(body.toString('utf8'), bounds.rules)
    return typeof keySet === 'string' ? (errorMessages[keySet] ?? 'The response is not a key set') : keySet
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    const { kind, reason } = error
    const fields = { tenant_id: tenantId, reason: kind, code: reason }
    if (!bounds.signal.aborted) log.debug('key set could not be fetched', fields)
    return failureMessages[kind] ?? 'The address could not be reached'
  }
}

/** Only what a tenant may know about its own address: it must not learn which names and ports exist elsewhere. */
const failureMessages: Partial<Record<OutboundFailure['kind'], string>> = {
  timeout: 'The address did not respond in time',
  too_large: 'The response is larger than 256 KiB',
  redirect: 'The address redirects; redirects are not followed',
}

const errorMessages: Partial<Record<KeySetError, string>> = {
  too_large: 'The response is larger than 256 KiB',
  too_many_keys: 'The key set has more than 50 keys',
  no_usable_key: 'The key set has no usable key',
  symmetric_key: 'The key set has a symmetric key',
  private_key: 'The key set has a private key',
  duplicate_kid: 'The key set uses a kid twice',
  own_kid: 'The key set uses a kid that is reserved',
}

/** Only what verification needs, in a fixed order: equal keys, equal text. */
function writeKeySet(keySet: KeySet): string {
  const keys = [...keySet.keys.values()].map(({ kid, algorithms, key }) => ({
    ...key.export({ format: 'jwk' }),
    kid,
    use: 'sig',
    ...(algorithms.length === 1 ? { alg: algorithms[0] } : {}),
  }))
  return JSON.stringify({ keys: keys.sort((a, b) => (a.kid < b.kid ? -1 : 1)) })
}

/** The address is part of every condition: the provider may have been changed during the fetch. */
async function noteError(
  { sql }: WorkerDependencies,
  projectId: string,
  jwksUrl: string,
  words: string,
): Promise<void> {
  await sql
    .updateTable('identity_providers')
    .set({ last_error: words })
    .where('project_id', '=', projectId)
    .where('jwks_url', '=', jwksUrl)
    .execute()
}

async function storeKeySet(
  dependencies: WorkerDependencies,
  projectId: string,
  jwksUrl: string,
  text: string,
): Promise<void> {
  const { sql, kv, now, log } = dependencies
  const synced = { last_synced_at: now(), last_error: null }
  const unchanged = await sql
    .updateTable('identity_providers')
    .set(synced)
    .where('project_id', '=', projectId)
    .where('jwks_url', '=', jwksUrl)
    .where('key_set', '=', text)
    .returning('project_id')
    .executeTakeFirst()
  if (unchanged !== undefined) return
  await transact(sql, async trx => {
    const revision = await raiseRevision(trx, keySetRevision(projectId))
    await trx
      .updateTable('identity_providers')
      .set({ ...synced, key_set: text, revision })
      .where('project_id', '=', projectId)
      .where('jwks_url', '=', jwksUrl)
      .execute()
  })
  try {
    await kv.putKeySet(projectId, await getProjectedKeySet(sql, projectId))
  } catch (error) {
    // The store's own sync writes it later; a failed job would fetch all sets again at once.
    if (!(error instanceof StoreUnavailable)) throw error
    log.warn('store could not be updated', { project_id: projectId })
  }
}

/** Runs the work for all items with limited concurrency; waits for all, then throws the first error. */
async function runLimited<Item>(count: number, items: readonly Item[], work: (item: Item) => Promise<void>) {
  // All lanes take from one iterator.
  const waiting = items.values()
  const lane = async () => {
    for (const item of waiting) await work(item)
  }
  const ended = await Promise.allSettled(Array.from({ length: count }, lane))
  const failed = ended.find(result => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/** So that a cycle that is too short for all of them skips different ones each time. */
function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map(item => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
