// Says whether a project has a tier, as the gateway finds it: in what is deployed, or deleted less than a day ago.

import type { Kysely } from 'kysely'
import { isTierInForce, type LiveConfig } from '../../../domain/settings/live-config.ts'
import type { Schema } from '../../../storage/schema.ts'
import { getLive } from '../../settings/live-configs.ts'

/** Each document is parsed once, since mints are frequent; above this number all are read again. */
const maxProjects = 1_000

export type HasTier = (projectId: string, name: string) => Promise<boolean>

export function createTierFinder({ sql, now }: { sql: Kysely<Schema>; now: () => number }): HasTier {
  const known = new Map<string, { revision: number; live: Pick<LiveConfig, 'tiers' | 'retired_tiers'> }>()
  return async (projectId, name) => {
    const { revision } = await sql
      .selectFrom('live_configs')
      .select('revision')
      .where('project_id', '=', projectId)
      .executeTakeFirstOrThrow()
    let found = known.get(projectId)
    if (found?.revision !== revision) {
      // What was read may be newer than its revision; it is then read once more.
      const { tiers, retired_tiers } = await getLive(sql, projectId)
      found = { revision, live: { tiers, retired_tiers } }
      if (known.size >= maxProjects) known.clear()
      known.set(projectId, found)
    }
    return isTierInForce(found.live, name, now())
  }
}
