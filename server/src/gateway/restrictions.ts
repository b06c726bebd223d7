// The restricted end users of each project as this process knows them: blocked ones, and those whose tokens were revoked.
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
  /** The project's restrictions while they count as current, else null: then `get` them. */
  find(projectId: string): Restrictions | null
  /** The last known ones, however old. */
  peek(projectId: string): Restrictions | null
  /** Throws if neither store nor database can say, and none are known. */
  get(project: ProjectRef): Promise<Restrictions>
  /** Read again unless that was done within `maxAgeMs`. */
  getWithin(project: ProjectRef, maxAgeMs: number): Promise<Restrictions>
  /** After each change of what is known. */
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
    // Calls in flight are ended by what is known, and nobody else may ask for it soon.
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
    find: projectId => documents.find(projectId),
    peek: projectId => documents.peek(projectId),
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
      sparseLogOf(log).error('restrictions of a project are damaged', `${projectId} ${revision}`, fields)
    }
    return restrictions
  }
  return {
    now,
    // Admissions compare the revision with the store's.
    lifeMs: Number.POSITIVE_INFINITY,
    async fromStore(projectId, known) {
      const found = await kv.findRestrictions(projectId)
      return found === null ? { ...nobody, revision: 0, isDoubtful: true } : parse(projectId, found, known)
    },
    async fromDatabase(projectId, known) {
      const restrictions = parse(projectId, await getProjectedRestrictions(sql, projectId), withoutDoubt(known))
      if (restrictions === null) throw new Error('the restrictions of the project are damaged')
      return restrictions
    },
    onUnavailable(from, projectId, error) {
      if (from === 'store') return
      const fields = { project_id: projectId, error }
      sparseLogOf(log).warn('restrictions not to be had from the database', '', fields)
    },
  }
}

/** Of a store without a document, which has not been filled yet unless the project never restricted anybody. */
const nobody = { blocked: new Set<string>(), revokedBefore: new Map<string, number>() }

function withoutDoubt(known: KnownRestrictions | null): KnownRestrictions | null {
  return known?.isDoubtful ? null : known
}

function sizeOf({ blocked, revokedBefore }: Restrictions): number {
  let bytes = 512
  for (const userId of blocked) bytes += 64 + userId.length * 2
  for (const userId of revokedBefore.keys()) bytes += 64 + userId.length * 2
  return bytes
}
