// Erases what belonged to deleted projects and tenants: their rows, in pages, and what the store keeps of them. Each run goes
// over all of it, so a run that was cut off is made good by the next one.

import { deleteGuardrailEventsOf } from '../storage/guardrail-event-rows.ts'
import {
  type DeletedProject,
  eraseMarks,
  eraseProject,
  eraseRows,
  eraseTenant,
  listDeletedProjects,
  listDeletedTenants,
} from '../storage/owned/erase-rows.ts'
import { type OwnedTable, projectTables, tenantTables } from '../storage/owned/owned-tables.ts'
import { inPages } from './in-pages.ts'
import type { Job, WorkerDependencies } from './job.ts'

/** Rows of a transaction: others write in between. */
const atOnce = 500

/** What was under way when it was deleted has ended by then: answers, usage rows, events, a page of the sync cycle. */
export const settledMs = 2 * 60 * 1000

const projectsAtOnce = 100

export function eraseDeleted(everyMs: number): Job {
  return {
    name: 'erase-deleted',
    everyMs,
    runsBeforeReady: false,
    async run(world, signal) {
      let afterId = ''
      await inPages(signal, async () => {
        const projects = await listDeletedProjects(world.sql, afterId, projectsAtOnce)
        for (const project of projects) if (!signal.aborted) await eraseProjectRows(world, project, signal)
        afterId = projects.at(-1)?.id ?? ''
        return projects.length === projectsAtOnce
      })
      for (const tenant of await listDeletedTenants(world.sql)) {
        if (!signal.aborted) await eraseTenantRows(world, tenant, signal)
      }
    },
  }
}

async function eraseProjectRows(
  world: WorkerDependencies,
  project: DeletedProject,
  signal: AbortSignal,
): Promise<void> {
  const { sql, kv, now, log } = world
  const { id, tenant_id: tenantId, slug } = project
  const erased = await eraseAll(world, projectTables, id, signal)
  await inPages(
    signal,
    async () => (await deleteGuardrailEventsOf(sql, { tenantId, projectId: id }, atOnce)) === atOnce,
  )
  await eraseMarks(sql, 'project', id)
  if (signal.aborted) return
  const isSettled = project.deleted_at <= now() - settledMs
  // At the first run, and at the last for what came after it.
  if (erased.has('live_configs') || isSettled) {
    await kv.forgetProject({ projectId: id, slug })
    await kv.forgetConversations(`${id}:`)
  }
  if (isSettled && (await eraseProject(sql, id))) log.info('deleted project erased', { project_id: id })
}

async function eraseTenantRows(
  world: WorkerDependencies,
  { id, deleted_at: deletedAt }: { id: string; deleted_at: number },
  signal: AbortSignal,
): Promise<void> {
  const { sql, kv, now, log } = world
  await eraseAll(world, tenantTables, id, signal)
  await eraseMarks(sql, 'tenant', id)
  if (signal.aborted) return
  await kv.forgetTenant(id)
  if (deletedAt > now() - settledMs) return
  await eraseTenant(sql, id)
  log.info('deleted tenant erased', { tenant_id: id })
}

/** The tables that had rows. */
async function eraseAll(
  { sql }: WorkerDependencies,
  tables: readonly OwnedTable[],
  ownerId: string,
  signal: AbortSignal,
): Promise<Set<OwnedTable['name']>> {
  const found = new Set<OwnedTable['name']>()
  for (const table of tables) {
    await inPages(signal, async () => {
      const count = await eraseRows(sql, table, ownerId, atOnce)
      if (count > 0) found.add(table.name)
      return table.key.length > 0 && count === atOnce
    })
  }
  return found
}
