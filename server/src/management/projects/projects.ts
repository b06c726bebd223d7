// Projects of a tenant: create (limited by the plan), list, read, rename. project-status.ts changes their status.

import { randomInt } from 'node:crypto'
import type { Transaction } from 'kysely'
import { z } from 'zod'
import { defaultSettings } from '../../domain/settings/settings.ts'
import { newSlug } from '../../domain/slug.ts'
import { noteAct } from '../../storage/audit/act.ts'
import { enqueueDnsJob } from '../../storage/dns-jobs.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import { recordTenantEvent } from '../../storage/webhooks/tenant-events.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { lockTenant } from '../lock-tenant.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import { checkName } from '../plane/fields.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import { startLive, tryPushLive } from '../settings/live-configs.ts'
import { toSettingsColumns } from '../settings/settings-row.ts'
import { checkFreePlan } from './free-plan.ts'
import { insertWithNewSlug } from './insert-with-new-slug.ts'
import { dnsStatusSchema, hostsOf } from './provisioning.ts'

const projectSchema = z.object({
  id: z.string(),
  tenant_id: z.string(),
  name: z.string(),
  slug: z.string(),
  status: z.enum(['active', 'suspended']),
  dns_status: dnsStatusSchema,
  managed_by: z.enum(['file']).nullable().meta({
    description: '`file` if a file manages it: the dashboard then changes nothing that a file holds',
  }),
  created_at: z.string(),
})
const hostsSchema = { fqdn_dev: z.string(), fqdn_prod: z.string() }
const createdSchema = projectSchema.omit({ status: true, managed_by: true, created_at: true }).extend(hostsSchema)
const oneSchema = projectSchema.extend(hostsSchema)

export function projectRoutes(management: ManagementDependencies): Route[] {
  const { sql } = management
  return [
    route({
      method: 'GET',
      path: '/auth/v1/tenants/:tenantId/projects',
      operation: 'listProjects',
      summary: 'List the projects of a tenant',
      credential: 'session',
      owner: 'tenant',
      permission: 'project:read',
      answers: { 200: z.array(projectSchema) },
      async handle({ owned }) {
        const projects = await sql
          .selectFrom('projects')
          .select(shownColumns)
          .where('tenant_id', '=', owned.tenant.id)
          .where('deleted_at', 'is', null)
          .orderBy('created_at')
          .orderBy('id')
          .execute()
        return {
          status: 200,
          body: projects.map(project => ({ ...project, created_at: isoTime(project.created_at) })),
        }
      },
    }),
    route({
      method: 'POST',
      path: '/auth/v1/tenants/:tenantId/projects',
      operation: 'createProject',
      audit: { action: 'project.create', read: rowOf('projects', { id: 'target' }) },
      summary: 'Create a project with default settings',
      credential: 'session',
      owner: 'tenant',
      permission: 'project:write',
      body: z.object({ name: checkName }),
      answers: { 201: createdSchema },
      refusals: ['free_plan_projects'],
      idempotency: 'replay',
      async handle({ owned, body }) {
        const project = await transact(sql, trx => createProject(trx, management, owned.tenant.id, body.name))
        await tryPushLive(management, project.id)
        return { status: 201, body: { ...project, ...hostsOf(management, project.slug), dns_status: 'PENDING' } }
      },
    }),
    ...oneProjectRoutes(management),
  ]
}

const shownColumns = ['id', 'tenant_id', 'name', 'slug', 'status', 'dns_status', 'managed_by', 'created_at'] as const

function oneProjectRoutes(management: ManagementDependencies): Route[] {
  const { sql } = management
  const common = {
    path: '/auth/v1/projects/:projectId',
    credential: 'session',
    owner: 'project',
    answers: { 200: oneSchema },
  } as const
  const show = (row: { slug: string; created_at: number }) => ({
    ...row,
    ...hostsOf(management, row.slug),
    created_at: isoTime(row.created_at),
  })
  return [
    route({
      ...common,
      method: 'GET',
      operation: 'getProject',
      permission: 'project:read',
      summary: 'Get a project',
      async handle({ owned }) {
        const row = await sql
          .selectFrom('projects')
          .select(shownColumns)
          .where('id', '=', owned.project.id)
          .executeTakeFirstOrThrow()
        return { status: 200, body: show(row) }
      },
    }),
    route({
      ...common,
      method: 'PATCH',
      operation: 'renameProject',
      inFile: true,
      audit: { action: 'project.rename', target: 'projectId', read: rowOf('projects', { id: 'project' }) },
      permission: 'project:write',
      summary: 'Rename a project; its slug does not change',
      body: z.object({ name: checkName }),
      async handle({ owned, body }) {
        const row = await transact(sql, trx =>
          trx
            .updateTable('projects')
            .set({ name: body.name })
            .where('id', '=', owned.project.id)
            .returning(shownColumns)
            .executeTakeFirstOrThrow(),
        )
        return { status: 200, body: show(row) }
      },
    }),
  ]
}

async function createProject(
  trx: Transaction<Schema>,
  management: ManagementDependencies,
  tenantId: string,
  name: string,
) {
  const { now, randomId, settings } = management
  await lockTenant(trx, tenantId)
  await checkFreePlan(trx, tenantId, settings.upgradeUrl)
  const createdAt = now()
  const drawSlug = () => newSlug(randomInt)
  const project = await insertWithNewSlug(trx, drawSlug, {
    id: randomId(),
    tenant_id: tenantId,
    name,
    status: 'active',
    // A wildcard record covers every slug: nothing is left to provision.
    dns_status: settings.dnsIsWildcard ? 'READY' : 'PENDING',
    dns_last_error: null,
    dns_updated_at: settings.dnsIsWildcard ? createdAt : null,
    created_at: createdAt,
  })
  if (!settings.dnsIsWildcard) await enqueueDnsJob(trx, project.id, createdAt)
  noteAct({ target: { id: project.id } })
  const defaults = defaultSettings(settings.dashboardOrigin)
  await trx
    .insertInto('settings')
    .values({
      ...toSettingsColumns(defaults),
      id: randomId(),
      project_id: project.id,
      draft_provider_model: null,
      draft_saved_at: null,
      deployed_at: null,
      created_at: createdAt,
      updated_at: createdAt,
    })
    .execute()
  await startLive(trx, project, defaults, createdAt)
  const event = { type: 'project_created', data: { slug: project.slug } } as const
  await recordTenantEvent(trx, { tenantId, projectId: project.id, at: createdAt }, event)
  return project
}
