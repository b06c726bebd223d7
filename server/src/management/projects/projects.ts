// Projects of a tenant: create with its guarded free-plan limit, list, suspend, and the state of provisioning.

import { randomInt } from 'node:crypto'
import type { Insertable, Transaction } from 'kysely'
import { z } from 'zod'
import { Refusal } from '../../domain/errors.ts'
import { defaultSettings } from '../../domain/settings/settings.ts'
import { newSlug } from '../../domain/slug.ts'
import { enqueueDnsJob } from '../../storage/dns-jobs.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { lockTenant } from '../lock-tenant.ts'
import { checkName } from '../plane/fields.ts'
import { isoTime } from '../plane/iso-time.ts'
import { route } from '../plane/route.ts'
import { pushLiveLater, raiseLiveRevision, startLive } from '../settings/live-configs.ts'
import { toSettingsColumns } from '../settings/settings-row.ts'

const freeProjects = 3

const dnsStatusSchema = z.enum(['PENDING', 'READY', 'FAILED'])
const projectSchema = z.object({
  id: z.string(),
  tenant_id: z.string(),
  name: z.string(),
  slug: z.string(),
  status: z.enum(['active', 'suspended']),
  dns_status: dnsStatusSchema,
  created_at: z.string(),
})
const createdSchema = projectSchema
  .omit({ status: true, created_at: true })
  .extend({ fqdn_dev: z.string(), fqdn_prod: z.string() })
const provisioningSchema = z.object({
  dns_status: dnsStatusSchema,
  dns_last_error: z.string().nullable(),
  fqdn_dev: z.string(),
  fqdn_prod: z.string(),
  slug: z.string(),
  dns_updated_at: z.string().nullable(),
})

export function projectRoutes(management: ManagementDependencies) {
  const { sql } = management
  return [
    route({
      method: 'GET',
      path: '/auth/v1/tenants/:tenantId/projects',
      summary: 'List the projects of a tenant',
      credential: 'session',
      owner: 'tenant',
      answers: { 200: z.array(projectSchema) },
      async handle({ owned }) {
        const projects = await sql
          .selectFrom('projects')
          .select(['id', 'tenant_id', 'name', 'slug', 'status', 'dns_status', 'created_at'])
          .where('tenant_id', '=', owned.tenant.id)
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
      summary: 'Create a project with default settings',
      credential: 'session',
      owner: 'tenant',
      body: z.object({ name: checkName }),
      answers: { 201: createdSchema },
      refusals: ['free_plan_projects'],
      idempotency: 'replay',
      async handle({ owned, body }) {
        const project = await transact(sql, trx => createProject(trx, management, owned.tenant.id, body.name))
        await pushLiveLater(management, project.id)
        return { status: 201, body: { ...project, ...hostsOf(management, project.slug), dns_status: 'PENDING' } }
      },
    }),
    route({
      method: 'POST',
      path: '/auth/v1/projects/:projectId/suspend',
      summary: 'Suspend a project and revoke its API keys; idempotent',
      credential: 'session',
      owner: 'project',
      answers: { 200: z.object({ status: z.literal('suspended') }) },
      async handle({ owned }) {
        const suspended = await transact(sql, trx => suspend(trx, management, owned.project.id))
        // Pushed again on a repetition, so that a retry heals a push that failed.
        await pushLiveLater(management, owned.project.id)
        if (suspended) management.log.info('project suspended', { project_id: owned.project.id })
        return { status: 200, body: { status: 'suspended' } }
      },
    }),
    ...provisioningRoutes(management),
  ]
}

function provisioningRoutes(management: ManagementDependencies) {
  const { sql, now } = management
  return [
    route({
      method: 'GET',
      path: '/auth/v1/projects/:projectId/provisioning',
      summary: 'Get the status of the host names of a project',
      credential: 'session',
      owner: 'project',
      answers: { 200: provisioningSchema },
      async handle({ owned }) {
        const project = await sql
          .selectFrom('projects')
          .select(['slug', 'dns_status', 'dns_last_error', 'dns_updated_at'])
          .where('id', '=', owned.project.id)
          .executeTakeFirstOrThrow()
        const updatedAt = project.dns_updated_at
        return {
          status: 200,
          body: {
            ...project,
            ...hostsOf(management, project.slug),
            dns_updated_at: isoTime(updatedAt),
          },
        }
      },
    }),
    route({
      method: 'POST',
      path: '/auth/v1/projects/:projectId/provisioning/retry',
      summary: 'Retry a failed provisioning of host names',
      credential: 'session',
      owner: 'project',
      answers: { 200: z.object({ dns_status: z.literal('PENDING') }) },
      refusals: ['not_failed', 'project_suspended'],
      async handle({ owned }) {
        await transact(sql, trx => retryProvisioning(trx, owned.project.id, now()))
        return { status: 200, body: { dns_status: 'PENDING' } }
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
  const project = await insertUnderNewSlug(trx, {
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
  return project
}

async function checkFreePlan(trx: Transaction<Schema>, tenantId: string, upgradeUrl: string): Promise<void> {
  const tenant = await trx.selectFrom('tenants').select('plan').where('id', '=', tenantId).executeTakeFirstOrThrow()
  if (tenant.plan !== 'free') return
  const { count } = await trx
    .selectFrom('projects')
    .select(row => row.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('status', '=', 'active')
    .executeTakeFirstOrThrow()
  if (count >= freeProjects) throw new Refusal('free_plan_projects', { upgradeUrl })
}

type NewProject = Omit<Insertable<Schema['projects']>, 'slug'>

/** Slugs are drawn until one is free; they are never given out twice, since projects are never deleted. */
async function insertUnderNewSlug(trx: Transaction<Schema>, project: NewProject) {
  for (let attempt = 0; attempt < 20; attempt++) {
    const slug = newSlug(randomInt)
    const inserted = await trx
      .insertInto('projects')
      .values({ ...project, slug })
      .onConflict(conflict => conflict.column('slug').doNothing())
      .returning(['id', 'tenant_id', 'name', 'slug'])
      .executeTakeFirst()
    if (inserted !== undefined) return inserted
  }
  throw new Error('no free slug found')
}

async function retryProvisioning(trx: Transaction<Schema>, projectId: string, time: number): Promise<void> {
  const retried = await trx
    .updateTable('projects')
    .set({ dns_status: 'PENDING', dns_last_error: null, dns_updated_at: time })
    .where('id', '=', projectId)
    .where('status', '=', 'active')
    .where('dns_status', '=', 'FAILED')
    .returning('id')
    .executeTakeFirst()
  if (retried === undefined) throw new Refusal(await whyNotRetried(trx, projectId))
  await enqueueDnsJob(trx, projectId, time)
}

/** Asked after the attempt, so that a suspension which came first is seen. */
async function whyNotRetried(trx: Transaction<Schema>, projectId: string): Promise<'project_suspended' | 'not_failed'> {
  const { status } = await trx
    .selectFrom('projects')
    .select('status')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow()
  return status === 'suspended' ? 'project_suspended' : 'not_failed'
}

/** True where the project was active until now. */
async function suspend(
  trx: Transaction<Schema>,
  { now, settings }: ManagementDependencies,
  projectId: string,
): Promise<boolean> {
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
  return true
}

function hostsOf({ settings }: ManagementDependencies, slug: string) {
  return { fqdn_dev: `${slug}.${settings.internalDomain}`, fqdn_prod: `${slug}.${settings.publicDomain}` }
}
