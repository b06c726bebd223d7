// Which project a host's slug means: remembered for good, because a slug is never given to another; asked of the store,
// then of the database. Knows no settings. An unknown slug is remembered for a moment only.
import type { Kysely } from 'kysely'
import { Refusal } from '../domain/errors.ts'
import { isSlug } from '../domain/slug.ts'
import { type ProjectRef, type Store, StoreUnavailable } from '../kv/store.ts'
import type { Schema } from '../storage/schema.ts'

export interface ProjectFinder {
  /** Null where it must be asked for. */
  known(slug: string): ProjectRef | null
  /** Throws `unknown_host`, or `config_unavailable` where nobody can say. */
  get(slug: string): Promise<ProjectRef>
}

interface ProjectFinderParts {
  kv: Pick<Store, 'findSlug'>
  sql: Kysely<Schema>
  now: () => number
}

const maxKnown = 100_000
const maxUnknown = 10_000
/** Names that nobody has ever had cost a question each. */
const maxRequestedHeaders = 500
const unknownMs = 1_000

export function createProjectFinder({ kv, sql, now }: ProjectFinderParts): ProjectFinder {
  const known = new Map<string, ProjectRef>()
  /** Slug → until when it is taken for unknown. */
  const unknown = new Map<string, number>()
  const asking = new Map<string, Promise<ProjectRef>>()

  async function ask(slug: string): Promise<ProjectRef> {
    const project = (await findInStore(kv, slug)) ?? (await findInDatabase(sql, slug))
    if (project === null) {
      if (unknown.size >= maxUnknown) unknown.clear()
      unknown.set(slug, now() + unknownMs)
      throw new Refusal('unknown_host')
    }
    if (known.size >= maxKnown) forgetOldest(known, maxKnown / 10)
    known.set(slug, project)
    return project
  }

  return {
    known: slug => known.get(slug) ?? null,
    async get(slug) {
      // Whatever cannot be a slug costs nobody a question.
      if (!isSlug(slug) || (unknown.get(slug) ?? 0) > now()) throw new Refusal('unknown_host')
      const running = asking.get(slug)
      if (running !== undefined) return await running
      if (asking.size >= maxRequestedHeaders) throw new Refusal('busy')
      const asked = ask(slug).finally(() => asking.delete(slug))
      asking.set(slug, asked)
      return await asked
    },
  }
}

async function findInStore(kv: ProjectFinderParts['kv'], slug: string): Promise<ProjectRef | null> {
  try {
    return await kv.findSlug(slug)
  } catch (error) {
    if (error instanceof StoreUnavailable) return null
    throw error
  }
}

async function findInDatabase(sql: Kysely<Schema>, slug: string): Promise<ProjectRef | null> {
  try {
    const row = await sql
      .selectFrom('projects')
      .select(['id as projectId', 'tenant_id as tenantId'])
      .where('slug', '=', slug)
      .executeTakeFirst()
    return row ?? null
  } catch (cause) {
    throw new Refusal('config_unavailable', { cause })
  }
}

function forgetOldest<Key>(map: Map<Key, unknown>, count: number): void {
  for (const key of map.keys().take(count)) map.delete(key)
}
