// Finds the project of a host's slug. A project that was found is cached until it is deleted, because a slug is never
// given to another project. An unknown slug is cached for `retryMs` only.
import type { Kysely } from 'kysely'
import { Refusal } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'
import { isSlug } from '../domain/slug.ts'
import { type Projected, retryMs } from '../kv/projected-document.ts'
import { ProjectedDocuments } from '../kv/projected-documents.ts'
import type { ProjectRef, Store } from '../kv/store.ts'
import { sparseLogOf } from '../log/sparse-log.ts'
import type { Schema } from '../storage/schema.ts'

export interface ProjectFinder {
  /** The cached project; null if `get` must look it up. */
  known(slug: string): ProjectRef | null
  /**
   * Throws `unknown_host` if there is no such project, `config_unavailable` if neither store nor database can be read,
   * and `busy` if too many slugs are being looked up.
   */
  get(slug: string): Promise<ProjectRef>
  /** Call this when the project was deleted. */
  forget(slug: string): void
}

interface ProjectFinderDependencies {
  kv: Pick<Store, 'findSlug'>
  sql: Kysely<Schema>
  now: () => number
  log: Log
}

const maxUnknown = 10_000
/** Bounds concurrent look-ups: each unknown slug costs the store and the database a query. */
const maxReads = 500

export function createProjectFinder({ kv, sql, now, log }: ProjectFinderDependencies): ProjectFinder {
  /** Unknown slug → when this entry expires. */
  const unknown = new Map<string, number>()
  const reading = new Set<string>()
  const source = {
    now,
    lifeMs: Number.POSITIVE_INFINITY,
    async fromStore(slug: string): Promise<(ProjectRef & Projected) | null> {
      const project = await kv.findSlug(slug)
      return project && { ...project, revision: 0 }
    },
    async fromDatabase(slug: string): Promise<ProjectRef & Projected> {
      const project = await findInDatabase(sql, slug)
      if (project !== null) return { ...project, revision: 0 }
      if (unknown.size >= maxUnknown) unknown.clear()
      unknown.set(slug, now() + retryMs)
      throw new Refusal('unknown_host')
    },
    isAnswer: (error: unknown) => error instanceof Refusal && error.code === 'unknown_host',
    onUnavailable(from: 'store' | 'database', _slug: string, error: unknown): void {
      if (from === 'database') sparseLogOf(log).warn('project could not be read from the database', '', { error })
    },
  }
  const known = new ProjectedDocuments(source, { maxDocuments: 100_000 })

  return {
    known: known.peek,
    forget: slug => known.forget(slug),
    async get(slug) {
      // Text that cannot be a slug costs no query.
      if (!isSlug(slug) || (unknown.get(slug) ?? 0) > now()) throw new Refusal('unknown_host')
      if (!reading.has(slug) && reading.size >= maxReads) throw new Refusal('busy')
      reading.add(slug)
      const project = await known.get(slug, slug).finally(() => reading.delete(slug))
      if (project === null) throw new Refusal('config_unavailable')
      return project
    },
  }
}

async function findInDatabase(sql: Kysely<Schema>, slug: string): Promise<ProjectRef | null> {
  const row = await sql
    .selectFrom('projects')
    .select(['id as projectId', 'tenant_id as tenantId'])
    .where('slug', '=', slug)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row ?? null
}
