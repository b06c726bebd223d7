// The host names of a project: reads the names and the status of their registration, and retries a failed registration.

import type { Transaction } from 'kysely'
import { z } from 'zod'
import { Refusal } from '../../domain/errors.ts'
import { enqueueDnsJob } from '../../storage/dns-jobs.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'

export const dnsStatusSchema = z.enum(['PENDING', 'READY', 'FAILED'])
const provisioningSchema = z.object({
  dns_status: dnsStatusSchema,
  dns_last_error: z.string().nullable(),
  fqdn_dev: z.string(),
  fqdn_prod: z.string(),
  slug: z.string(),
  dns_updated_at: z.string().nullable(),
})

export function provisioningRoutes(management: ManagementDependencies): Route[] {
  const { sql, now } = management
  return [
    route({
      method: 'GET',
      path: '/auth/v1/projects/:projectId/provisioning',
      operation: 'getProvisioning',
      summary: 'Get the status of the host names of a project',
      credential: 'session',
      owner: 'project',
      permission: 'project:read',
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
      operation: 'retryProvisioning',
      audit: { action: 'project.retry_provisioning', target: 'projectId', read: rowOf('projects', { id: 'project' }) },
      summary: 'Retry a failed provisioning of host names',
      credential: 'session',
      owner: 'project',
      permission: 'project:write',
      answers: { 200: z.object({ dns_status: z.literal('PENDING') }) },
      refusals: ['not_failed', 'project_suspended'],
      async handle({ owned }) {
        await transact(sql, trx => retryProvisioning(trx, owned.project.id, now()))
        return { status: 200, body: { dns_status: 'PENDING' } }
      },
    }),
  ]
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

/** Read after the attempt, so that a suspension that was committed before it is seen. */
async function whyNotRetried(trx: Transaction<Schema>, projectId: string): Promise<'project_suspended' | 'not_failed'> {
  const { status } = await trx
    .selectFrom('projects')
    .select('status')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow()
  return status === 'suspended' ? 'project_suspended' : 'not_failed'
}

export function hostsOf({ settings }: ManagementDependencies, slug: string) {
  return { fqdn_dev: `${slug}.${settings.internalDomain}`, fqdn_prod: `${slug}.${settings.publicDomain}` }
}
