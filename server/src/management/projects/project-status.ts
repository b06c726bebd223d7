// Suspends, reactivates and deletes projects. A deleted project is inaccessible at once; the worker erases its data.

import type { Transaction } from 'kysely'
import { z } from 'zod'
import { Refusal } from '../../domain/errors.ts'
import { enqueueDnsJob } from '../../storage/dns-jobs.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import { recordTenantEvent } from '../../storage/webhooks/tenant-events.ts'
import { deleteWebhooks, listProjectWebhooks } from '../../storage/webhooks/webhook-rows.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { lockTenant } from '../lock-tenant.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import { checkConfirmation, confirmationOf } from '../plane/fields.ts'
import { type Route, route } from '../plane/route.ts'
import { raiseLiveRevision, tryPushLive } from '../settings/live-configs.ts'
import { checkFreePlan } from './free-plan.ts'
import { dnsStatusSchema } from './provisioning.ts'

const confirmWords = 'confirm must be the slug of the project'

const readProject = rowOf('projects', { id: 'project' })

export function projectStatusRoutes(management: ManagementDependencies): Route[] {
  const { sql, log } = management
  return [
    route({
      method: 'POST',
      path: '/auth/v1/projects/:projectId/suspend',
      operation: 'suspendProject',
      audit: { action: 'project.suspend', target: 'projectId', read: readProject },
      summary: 'Suspend a project and revoke its API keys; idempotent',
      credential: 'session',
      owner: 'project',
      permission: 'project:write',
      answers: { 200: z.object({ status: z.literal('suspended') }) },
      async handle({ owned }) {
        const suspended = await transact(sql, trx => suspend(trx, management, owned.project))
        // Pushed even if nothing changed, so that a retry repairs a failed push.
        await tryPushLive(management, owned.project.id)
        if (suspended) log.info('project suspended', { project_id: owned.project.id })
        return { status: 200, body: { status: 'suspended' } }
      },
    }),
    route({
      method: 'POST',
      path: '/auth/v1/projects/:projectId/reactivate',
      operation: 'reactivateProject',
      audit: { action: 'project.reactivate', target: 'projectId', read: readProject },
      summary: 'Reactivate a suspended project; its API keys stay revoked; idempotent',
      credential: 'session',
      owner: 'project',
      permission: 'project:write',
      answers: { 200: z.object({ status: z.literal('active'), dns_status: dnsStatusSchema }) },
      refusals: ['free_plan_projects'],
      async handle({ owned }) {
        const { dnsStatus, isChanged } = await transact(sql, trx => reactivate(trx, management, owned.project))
        await tryPushLive(management, owned.project.id)
        if (isChanged) log.info('project reactivated', { project_id: owned.project.id })
        return { status: 200, body: { status: 'active', dns_status: dnsStatus } }
      },
    }),
    route({
      method: 'DELETE',
      path: '/auth/v1/projects/:projectId',
      operation: 'deleteProject',
      audit: { action: 'project.delete', target: 'projectId', read: readProject },
      summary: 'Delete a suspended project permanently, with all its data',
      credential: 'session',
      owner: 'project',
      permission: 'tenant:write',
      body: confirmationOf(confirmWords),
      answers: { 204: null },
      refusals: ['project_not_suspended'],
      async handle({ owned, body }) {
        checkConfirmation(body.confirm, owned.project.slug, confirmWords)
        await transact(sql, trx => remove(trx, management, owned.project))
        log.info('project deleted', { project_id: owned.project.id })
        return { status: 204 }
      },
    }),
  ]
}

type OwnedProject = Record<'id' | 'tenant_id' | 'slug', string>
type StatusEvent = 'project_suspended' | 'project_reactivated'

async function recordStatus(
  trx: Transaction<Schema>,
  { id, tenant_id: tenantId, slug }: OwnedProject,
  type: StatusEvent,
  at: number,
): Promise<void> {
  await recordTenantEvent(trx, { tenantId, projectId: id, at }, { type, data: { slug } })
}

/** Returns true if the project was active. */
async function suspend(
  trx: Transaction<Schema>,
  { now, settings }: ManagementDependencies,
  project: OwnedProject,
): Promise<boolean> {
  const projectId = project.id
  const suspended = await trx
    .updateTable('projects')
    .set({ status: 'suspended' })
    .where('id', '=', projectId)
    .where('status', '=', 'active')
    .returning('id')
    .executeTakeFirst()
  if (suspended === undefined) return false
  if (!settings.dnsIsWildcard) await enqueueDnsJob(trx, projectId, now())
  await trx
    .updateTable('api_keys')
    .set({ revoked_at: now() })
    .where('project_id', '=', projectId)
    .where('revoked_at', 'is', null)
    .execute()
  await raiseLiveRevision(trx, projectId, now())
  await recordStatus(trx, project, 'project_suspended', now())
  return true
}

async function reactivate(trx: Transaction<Schema>, { now, settings }: ManagementDependencies, owned: OwnedProject) {
  const { id, tenant_id: tenantId } = owned
  await lockTenant(trx, tenantId)
  const project = await getProject(trx, id)
  if (project.status === 'active') return { dnsStatus: project.dns_status, isChanged: false }
  await checkFreePlan(trx, tenantId, settings.upgradeUrl)
  const dnsStatus = settings.dnsIsWildcard ? ('READY' as const) : ('PENDING' as const)
  const reactivated = await trx
    .updateTable('projects')
    .set({ status: 'active', dns_status: dnsStatus, dns_last_error: null, dns_updated_at: now() })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (reactivated === undefined) throw new Refusal('project_not_found')
  if (!settings.dnsIsWildcard) await enqueueDnsJob(trx, id, now())
  await raiseLiveRevision(trx, id, now())
  await recordStatus(trx, owned, 'project_reactivated', now())
  return { dnsStatus, isChanged: true }
}

async function getProject(trx: Transaction<Schema>, id: string) {
  const project = await trx
    .selectFrom('projects')
    .select(['status', 'dns_status'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (project === undefined) throw new Refusal('project_not_found')
  return project
}

async function remove(trx: Transaction<Schema>, { now }: ManagementDependencies, project: OwnedProject): Promise<void> {
  const projectId = project.id
  const deletedAt = now()
  const removed = await trx
    .updateTable('projects')
    .set({ deleted_at: deletedAt })
    .where('id', '=', projectId)
    .where('status', '=', 'suspended')
    .where('deleted_at', 'is', null)
    .returning('slug')
    .executeTakeFirst()
  if (removed === undefined) {
    // Throws if the project has been deleted meanwhile.
    await getProject(trx, projectId)
    throw new Refusal('project_not_suspended')
  }
  const webhooks = await listProjectWebhooks(trx, projectId)
  await deleteWebhooks(
    trx,
    project.tenant_id,
    webhooks.map(({ id }) => id),
  )
  await trx.insertInto('retired_slugs').values({ slug: removed.slug, retired_at: deletedAt }).execute()
  const data = { project_id: projectId, slug: removed.slug }
  const place = { tenantId: project.tenant_id, projectId: null, at: deletedAt }
  await recordTenantEvent(trx, place, { type: 'project_deleted', data })
}
