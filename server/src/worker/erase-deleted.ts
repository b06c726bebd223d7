// Erases deleted projects and tenants: their rows, in pages, and their data in the store. Each run covers
// everything, so the next one completes a run that was cut short.

import { deleteGuardrailEventsOf } from '../storage/guardrail-events/guardrail-event-rows.ts'
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
import { deleteProjectRows } from '../storage/request-log/delete-project-rows.ts'
import type { RequestLogDays } from '../storage/request-log/request-days.ts'
import { contentDays as contentKind, rowDays as rowKind } from '../storage/request-log/request-tables.ts'
import { deleteTenantEventsOf } from '../storage/webhooks/tenant-events.ts'
import { inPages } from './in-pages.ts'
import type { Job, WorkerDependencies } from './job.ts'

/** The rows of one transaction, so that other writers do not wait long. */
const atOnce = 500

/** By then, everything in progress at the deletion has ended: answers, usage rows, events, a page of the sync cycle. */
export const settledMs = 2 * 60 * 1000

const projectsAtOnce = 100

export function eraseDeleted(everyMs: number, requestLog: RequestLogDays): Job {
  return {
    name: 'erase-deleted',
    everyMs,
    runsBeforeReady: false,
    async run(dependencies, signal) {
      let afterId = ''
      await inPages(signal, async () => {
        const projects = await listDeletedProjects(dependencies.sql, afterId, projectsAtOnce)
        for (const project of projects) {
          await deleteRequests(requestLog, project.id, signal)
          if (!signal.aborted) await eraseProjectRows(dependencies, project, signal)
        }
        afterId = projects.at(-1)?.id ?? ''
        return projects.length === projectsAtOnce
      })
      for (const tenant of await listDeletedTenants(dependencies.sql)) {
        if (!signal.aborted) await eraseTenantRows(dependencies, tenant, signal)
      }
    },
  }
}

async function deleteRequests(
  { requestDays, contentDays }: RequestLogDays,
  projectId: string,
  signal: AbortSignal,
): Promise<void> {
  const all = [[contentDays, contentKind] as const, [requestDays, rowKind] as const]
  for (const [days, kind] of all) {
    for (const day of await days.list()) {
      const page = { day, projectId, limit: atOnce }
      await inPages(signal, async () => (await deleteProjectRows(days, kind, page)) === atOnce)
    }
  }
}

async function eraseProjectRows(
  dependencies: WorkerDependencies,
  project: DeletedProject,
  signal: AbortSignal,
): Promise<void> {
  const { sql, kv, now, log } = dependencies
  const { id, tenant_id: tenantId, slug } = project
  const erased = await eraseAll(dependencies, projectTables, id, signal)
  for (const deleteEvents of [deleteGuardrailEventsOf, deleteTenantEventsOf]) {
    await inPages(signal, async () => (await deleteEvents(sql, { tenantId, projectId: id }, atOnce)) === atOnce)
  }
  await eraseMarks(sql, 'project', id)
  if (signal.aborted) return
  const isSettled = project.deleted_at <= now() - settledMs
  // In the first run, and again in the last one, for data that was written in between.
  if (erased.has('live_configs') || isSettled) {
    await kv.forgetProject({ projectId: id, slug })
    await kv.forgetConversations(`${id}:`)
    await kv.forgetAnswers(`${id}:`)
  }
  if (isSettled && (await eraseProject(sql, id))) log.info('deleted project erased', { project_id: id })
}

async function eraseTenantRows(
  dependencies: WorkerDependencies,
  { id, deleted_at: deletedAt }: { id: string; deleted_at: number },
  signal: AbortSignal,
): Promise<void> {
  const { sql, kv, now, log } = dependencies
  await eraseAll(dependencies, tenantTables, id, signal)
  await eraseMarks(sql, 'tenant', id)
  if (signal.aborted) return
  await kv.forgetTenant(id)
  if (deletedAt > now() - settledMs) return
  await eraseTenant(sql, id)
  log.info('deleted tenant erased', { tenant_id: id })
}

/** Returns the tables that had rows. */
async function eraseAll(
  { sql }: WorkerDependencies,
  tables: readonly OwnedTable[],
  ownerId: string,
  signal: AbortSignal,
): Promise<Set<OwnedTable['name']>> {
  const found = new Set<OwnedTable['name']>()
  for (const table of tables) {
    const pages = eraseRows(sql, table, ownerId, atOnce)
    await inPages(signal, async () => {
      const page = await pages.next()
      if (page.done === true) return false
      if (page.value > 0) found.add(table.name)
      return true
    })
  }
  return found
}
