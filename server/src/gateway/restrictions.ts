// Caches each project's restricted end users in this process: blocked ones, and those whose tokens were revoked.
import type { Kysely } from 'kysely'
import type { Verified } from '../domain/caller.ts'
import { findRestriction, parseRestrictions, type Restrictions } from '../domain/end-users/restrictions.ts'
import { Refusal } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'
import type { DocumentSource, Projected } from '../kv/projected-document.ts'
import { ProjectedDocuments } from '../kv/projected-documents.ts'
import type { ProjectRef, RevisionedText, Store } from '../kv/store.ts'
import { sparseLogOf } from '../log/sparse-log.ts'
import { getProjectedRestrictions } from '../storage/projections.ts'
import type { Schema } from '../storage/schema.ts'

export interface RestrictionState {
  /** The project's restrictions while they are current; null if `get` must read them. */
  find(projectId: string): Restrictions | null
  /** The last known ones, however old. */
  peek(projectId: string): Restrictions | null
  /** Throws if neither store nor database can be read and none are cached. */
  get(project: ProjectRef): Promise<Restrictions>
  /** Reads the restrictions again unless the current ones were read within the last `maxAgeMs`. */
  getWithin(project: ProjectRef, maxAgeMs: number): Promise<Restrictions>
  /** The listener runs after each change of a project's restrictions. */
  onChange(listener: () => void): void
  stop(): void
}

interface RestrictionDependencies {
  kv: Pick<Store, 'findRestrictions' | 'subscribe'>
  sql: Kysely<Schema>
  now: () => number
  log: Log
}

export function createRestrictionState(dependencies: RestrictionDependencies): RestrictionState {
  const listeners: Array<() => void> = []
  const onChange = (): void => {
    for (const listener of listeners) listener()
  }
  const documents = new ProjectedDocuments(
    { ...restrictionSource(dependencies), onChange },
    { maxDocuments: 20_000, maxBytes: 64 * 1024 * 1024, sizeOf },
  )
  const unsubscribe = dependencies.kv.subscribe(change => {
    if (change.kind === 'resync') documents.supersedeAll()
    if (change.kind !== 'restrictions') return
    documents.supersede(change.projectId, change.revision)
    // Calls in flight end by the cached restrictions, and it may take long until a request reads them.
    if (documents.peek(change.projectId) !== null) readAtOnce(change.projectId)
  })

  function readAtOnce(projectId: string): void {
    documents.read(projectId, projectId).catch((error: unknown) => {
      dependencies.log.error('restrictions of end users could not be read', { project_id: projectId, error })
    })
  }

  const getOrRefuse = async (reading: Promise<Restrictions | null>): Promise<Restrictions> => {
    const restrictions = await reading
    if (restrictions === null) throw new Refusal('config_unavailable')
    return restrictions
  }

  return {
    find: documents.find,
    peek: documents.peek,
    get: ({ projectId }) => getOrRefuse(documents.get(projectId, projectId)),
    getWithin: ({ projectId }, maxAgeMs) => getOrRefuse(documents.getWithin(projectId, projectId, maxAgeMs)),
    onChange: listener => void listeners.push(listener),
    stop: unsubscribe,
  }
}

export function refuseIfRestricted(restrictions: Restrictions, caller: Verified): void {
  const restriction = findRestriction(restrictions, caller)
  if (restriction !== null) throw new Refusal(restriction)
}

type KnownRestrictions = Restrictions & Projected

function restrictionSource({ kv, sql, now, log }: RestrictionDependencies): DocumentSource<string, KnownRestrictions> {
  function parse(
    projectId: string,
    { revision, body }: RevisionedText,
    known: Restrictions | null,
  ): Restrictions | null {
    if (known?.revision === revision) return known
    const restrictions = parseRestrictions(revision, body)
    if (restrictions === null) {
      const fields = { project_id: projectId, revision }
      sparseLogOf(log).error('restrictions of a project are corrupt', `${projectId} ${revision}`, fields)
    }
    return restrictions
  }
  return {
    now,
    // They need no expiry: each admission compares their revision with the store's.
    lifeMs: Number.POSITIVE_INFINITY,
    async fromStore(projectId, known) {
      const found = await kv.findRestrictions(projectId)
      return found === null ? { ...noRestrictions, revision: 0, isDoubtful: true } : parse(projectId, found, known)
    },
    async fromDatabase(projectId, known) {
      const restrictions = parse(projectId, await getProjectedRestrictions(sql, projectId), withoutDoubt(known))
      if (restrictions === null) throw new Error('the restrictions of the project are corrupt')
      return restrictions
    },
    onUnavailable(from, projectId, error) {
      if (from === 'store') return
      const fields = { project_id: projectId, error }
      sparseLogOf(log).warn('restrictions could not be read from the database', '', fields)
    },
  }
}

/** For a store without a document: the project never restricted anybody, or the store has not been filled yet. */
const noRestrictions = { isEmpty: true, blocked: new Set<string>(), revokedBefore: new Map<string, number>() }

function withoutDoubt(known: KnownRestrictions | null): KnownRestrictions | null {
  return known?.isDoubtful ? null : known
}

function sizeOf({ blocked, revokedBefore }: Restrictions): number {
  let bytes = 512
  for (const userId of blocked) bytes += 64 + userId.length * 2
  for (const userId of revokedBefore.keys()) bytes += 64 + userId.length * 2
  return bytes
}
