// The playground's answers under way: asks the database, as long as there are any, whether a kill switch or a suspension
// came into force for one, and ends it. The database is where both are set, so the store need not be asked.

import type { Kysely } from 'kysely'
import { createLiveSet } from '../../collections/live-set.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Log } from '../../domain/log.ts'
import type { ProjectRef } from '../../kv/store.ts'
import { readKillSwitches } from '../../storage/projections.ts'
import type { Schema } from '../../storage/schema.ts'

interface OpenDraft extends ProjectRef {
  /** Called once at most for each `watch`. */
  end(): void
}

export interface DraftWatch {
  /** Throws where the project's drafts may not be tried now. */
  refuseIfStopped(project: ProjectRef): Promise<void>
  /** Until the returned function is called. */
  watch(draft: OpenDraft): () => void
}

const lookEveryMs = 500

export function createDraftWatch({ sql, log }: { sql: Kysely<Schema>; log: Log }): DraftWatch {
  const open = createLiveSet<OpenDraft>()
  let timer: NodeJS.Timeout | null = null
  let isBlind = false

  async function look(): Promise<void> {
    const drafts = open.members()
    if (drafts.length === 0) return
    const stops = await readStops(sql, drafts)
    isBlind = false
    for (const draft of drafts) if (stops.findFor(draft) !== null) draft.end()
  }

  function noteBlind(error: unknown): void {
    if (!isBlind) log.error('drafts in flight could not be looked after', { error })
    isBlind = true
  }

  function lookLater(): void {
    if (timer !== null || open.size === 0) return
    timer = setTimeout(() => {
      look()
        .catch(noteBlind)
        .finally(() => {
          timer = null
          lookLater()
        })
    }, lookEveryMs)
    timer.unref()
  }

  return {
    async refuseIfStopped(project) {
      const stop = (await readStops(sql, [project])).findFor(project)
      if (stop !== null) throw new Refusal(stop)
    },
    watch(draft) {
      const seat = open.add(draft)
      lookLater()
      return () => open.remove(seat)
    },
  }
}

async function readStops(sql: Kysely<Schema>, drafts: readonly ProjectRef[]) {
  const switches = await readKillSwitches(sql)
  const rows = await sql
    .selectFrom('projects')
    .select('id')
    .where('status', '=', 'suspended')
    .where('id', 'in', [...new Set(drafts.map(draft => draft.projectId))])
    .execute()
  const suspended = new Set(rows.map(row => row.id))
  return {
    findFor({ projectId, tenantId }: ProjectRef): 'project_suspended' | 'service_disabled' | null {
      if (suspended.has(projectId)) return 'project_suspended'
      const isOff = switches.global || switches.tenants.includes(tenantId) || switches.projects.includes(projectId)
      return isOff ? 'service_disabled' : null
    },
  }
}
