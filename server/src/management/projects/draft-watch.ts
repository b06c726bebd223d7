// Ends playground calls in flight when a kill switch or a suspension applies to them. While there are calls, a timer
// reads both from the database, where they are set, so the store is not needed.

import type { Kysely } from 'kysely'
import type { AdmittedCall, CallRegistry } from '../../call/admitted-call.ts'
import { createLiveSet } from '../../collections/live-set.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Log } from '../../domain/log.ts'
import { isKilled } from '../../kv/covering-switches.ts'
import type { ProjectRef } from '../../kv/store.ts'
import { readKillSwitches } from '../../storage/projections.ts'
import type { Schema } from '../../storage/schema.ts'

export interface DraftWatch extends CallRegistry {
  /** Throws if the project is suspended or a kill switch applies to it. */
  throwIfStopped(project: ProjectRef): Promise<void>
}

const pollEveryMs = 500

export function createDraftWatch({ sql, log }: { sql: Kysely<Schema>; log: Log }): DraftWatch {
  const open = createLiveSet<AdmittedCall>()
  let timer: NodeJS.Timeout | null = null
  let isFailing = false

  async function poll(): Promise<void> {
    const calls = open.members()
    if (calls.length === 0) return
    const stops = await readStops(
      sql,
      calls.map(call => call.verified),
    )
    isFailing = false
    for (const call of calls) if (stops.findFor(call.verified) !== null) call.end('service_disabled')
  }

  function noteFailure(error: unknown): void {
    if (!isFailing) log.error('playground calls in flight could not be checked', { error })
    isFailing = true
  }

  function pollLater(): void {
    if (timer !== null || open.size === 0) return
    timer = setTimeout(() => {
      poll()
        .catch(noteFailure)
        .finally(() => {
          timer = null
          pollLater()
        })
    }, pollEveryMs)
    timer.unref()
  }

  return {
    async throwIfStopped(project) {
      const stop = (await readStops(sql, [project])).findFor(project)
      if (stop !== null) throw new Refusal(stop)
    },
    add(call) {
      const slot = open.add(call)
      pollLater()
      return slot
    },
    remove: open.remove,
  }
}

async function readStops(sql: Kysely<Schema>, drafts: readonly ProjectRef[]) {
  const { global, tenants, projects } = await readKillSwitches(sql)
  const switches = { global, tenants: new Set(tenants), projects: new Set(projects) }
  const rows = await sql
    .selectFrom('projects')
    .select('id')
    .where('status', '=', 'suspended')
    .where('id', 'in', [...new Set(drafts.map(draft => draft.projectId))])
    .execute()
  const suspended = new Set(rows.map(row => row.id))
  return {
    findFor(project: ProjectRef): 'project_suspended' | 'service_disabled' | null {
      if (suspended.has(project.projectId)) return 'project_suspended'
      return isKilled(switches, project) ? 'service_disabled' : null
    },
  }
}
