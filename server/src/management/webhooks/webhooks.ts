// Webhooks of a tenant: create, list, delete, rotate the secret. The plaintext of a secret is returned once; it is
// stored encrypted. webhook-deliveries.ts tests them and lists what they sent.

import { randomBytes } from 'node:crypto'
import type { Transaction } from 'kysely'
import { z } from 'zod'
import { isWebhookSecret, newWebhookSecret, webhookSecretError } from '../../crypto/secrets/webhook-signature.ts'
import { Refusal } from '../../domain/errors.ts'
import {
  auditEventDescription,
  tenantEvents,
  tenantEventTypes,
  type WebhookType,
  webhookTypes,
} from '../../domain/webhooks/tenant-events.ts'
import { noteAct } from '../../storage/audit/act.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import {
  deleteWebhooks,
  insertWebhook,
  readTypes,
  replaceWebhookSecret,
  type WebhookRow,
} from '../../storage/webhooks/webhook-rows.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { lockTenant } from '../lock-tenant.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import { getAllowedUrl } from '../plane/allowed-address.ts'
import type { Caller } from '../plane/caller.ts'
import { isoTime } from '../plane/iso-time.ts'
import { checkFileLock } from '../plane/ownership.ts'
import { type Route, route } from '../plane/route.ts'

export const webhooksPath = '/auth/v1/tenants/:tenantId/webhooks'
const common = { credential: 'session', owner: 'tenant' } as const

const typesSchema = z.array(z.enum(webhookTypes)).nullable()
const listedSchema = z.object({
  id: z.string(),
  project_id: z.string().nullable().meta({ description: 'Whose events alone it gets; null for all of the tenant' }),
  url: z.string(),
  types: typesSchema.meta({ description: 'The event types that it gets; null for all but `audit`' }),
  created_at: z.string(),
  previous_secret_until: z
    .string()
    .nullable()
    .meta({ description: 'After a rotation: until then, the previous secret signs too' }),
})
const withSecretSchema = listedSchema.extend({
  secret: z.string().meta({ description: 'Signs the deliveries; only this response contains it' }),
})

const typesError = `types must be an array of event types: ${webhookTypes.join(', ')}`
const bodySchema = z.object({
  url: z.string({ error: issue => (issue.input === undefined ? 'url is required' : 'url must be a string') }),
  types: z
    .array(z.enum(webhookTypes, { error: typesError }), { error: typesError })
    .min(1, { error: typesError })
    .max(100, { error: typesError })
    .nullish()
    .meta({ description: `All types but \`audit\` if absent or null. ${describeTypes()}` }),
  project_id: z
    .string({ error: 'project_id must be the id of a project' })
    .nullish()
    .meta({ description: 'The project whose events alone it gets; all of the tenant if absent or null' }),
  secret: z
    .custom<string>(isWebhookSecret, { error: webhookSecretError })
    .meta({ type: 'string', description: 'Your own, `whsec_` and base64 of 24 to 64 bytes; made if absent' })
    .optional(),
})

function describeTypes(): string {
  const described = tenantEventTypes.map(type => `\`${type}\`: ${tenantEvents[type].description}.`)
  return [...described, `\`audit\`: ${auditEventDescription}.`].join(' ')
}

export function webhookRoutes(management: ManagementDependencies): Route[] {
  const { sql } = management
  return [
    route({
      ...common,
      method: 'GET',
      path: webhooksPath,
      operation: 'listWebhooks',
      permission: 'project:read',
      summary: 'List the webhooks of a tenant',
      answers: { 200: z.array(listedSchema) },
      async handle({ owned }) {
        const rows = await sql
          .selectFrom('webhooks')
          .select(['id', 'project_id', 'url', 'types', 'created_at', 'previous_until'])
          .where('tenant_id', '=', owned.tenant.id)
          .orderBy('created_at')
          .orderBy('id')
          .execute()
        return { status: 200, body: rows.map(row => show(row, management.now())) }
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: webhooksPath,
      operation: 'createWebhook',
      audit: { action: 'webhook.create', read: rowOf('webhooks', { id: 'target' }) },
      permission: 'webhooks:write',
      summary: 'Create a webhook; only this response contains its secret',
      body: bodySchema,
      answers: { 201: withSecretSchema },
      refusals: ['invalid_base_url', 'webhook_limit', 'webhook_url_taken', 'project_not_found', 'managed_by_file'],
      idempotency: 'secret',
      async handle({ caller, owned, body }) {
        const url = await getAllowedUrl(management.outbound, body.url)
        const types = body.types == null ? null : [...new Set(body.types)]
        const { project_id: projectId = null, secret = newWebhookSecret(randomBytes) } = body
        const asked = { tenantId: owned.tenant.id, projectId, url, types, secret }
        return { status: 201, body: await createWebhook(management, caller, asked) }
      },
    }),
    ...oneWebhookRoutes(management),
  ]
}

function oneWebhookRoutes(management: ManagementDependencies): Route[] {
  const { sql } = management
  return [
    route({
      ...common,
      method: 'DELETE',
      path: `${webhooksPath}/:webhookId`,
      operation: 'deleteWebhook',
      audit: {
        action: 'webhook.delete',
        target: 'webhookId',
        read: rowOf('webhooks', { tenant_id: 'tenant', id: 'target' }),
      },
      permission: 'webhooks:write',
      summary: 'Delete a webhook and its deliveries, pending ones included',
      answers: { 204: null },
      refusals: ['webhook_not_found', 'managed_by_file'],
      async handle({ caller, owned, params }) {
        const [tenantId, webhookId] = [owned.tenant.id, params['webhookId'] ?? '']
        await transact(sql, async trx => {
          await checkLock(trx, tenantId, webhookId, caller)
          if ((await deleteWebhooks(trx, tenantId, [webhookId])) === 0) throw new Refusal('webhook_not_found')
        })
        return { status: 204 }
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${webhooksPath}/:webhookId/rotate`,
      operation: 'rotateWebhookSecret',
      audit: {
        action: 'webhook.rotate',
        target: 'webhookId',
        read: rowOf('webhooks', { tenant_id: 'tenant', id: 'target' }),
      },
      permission: 'webhooks:write',
      summary: 'Replace the secret of a webhook; for 24 hours, deliveries are signed with the previous one too',
      answers: { 200: withSecretSchema },
      refusals: ['webhook_not_found', 'managed_by_file'],
      idempotency: 'secret',
      async handle({ caller, owned, params }) {
        const [tenantId, webhookId] = [owned.tenant.id, params['webhookId'] ?? '']
        const secret = newWebhookSecret(randomBytes)
        const row = await transact(sql, async trx => {
          await checkLock(trx, tenantId, webhookId, caller)
          return await replaceWebhookSecret(trx, management, { tenantId, webhookId, secret })
        })
        return { status: 200, body: { ...show(row, management.now()), secret } }
      },
    }),
  ]
}

type Row = Pick<WebhookRow, 'id' | 'project_id' | 'url' | 'types' | 'created_at' | 'previous_until'>

function show({ id, project_id, url, types, created_at, previous_until }: Row, now: number) {
  return {
    id,
    project_id,
    url,
    types: readTypes(types),
    created_at: isoTime(created_at),
    previous_secret_until: isoTime(previous_until !== null && previous_until > now ? previous_until : null),
  }
}

interface Asked {
  tenantId: string
  projectId: string | null
  url: string
  types: WebhookType[] | null
  secret: string
}

async function createWebhook(management: ManagementDependencies, caller: Caller, asked: Asked) {
  const id = management.randomId()
  const row = await transact(management.sql, async trx => {
    await lockTenant(trx, asked.tenantId)
    if (asked.projectId !== null) await checkProject(trx, { ...asked, projectId: asked.projectId }, caller)
    noteAct({ target: { id } })
    return await insertWebhook(trx, management, { id, ...asked })
  })
  return { ...show(row, management.now()), secret: asked.secret }
}

async function checkProject(
  trx: Transaction<Schema>,
  { tenantId, projectId }: { tenantId: string; projectId: string },
  caller: Caller,
): Promise<void> {
  const project = await trx
    .selectFrom('projects')
    .select('managed_by')
    .where('id', '=', projectId)
    .where('tenant_id', '=', tenantId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (project === undefined) throw new Refusal('project_not_found')
  checkFileLock(project, caller)
}

/** Those of a project may be in the file that manages it. */
async function checkLock(trx: Transaction<Schema>, tenantId: string, webhookId: string, caller: Caller): Promise<void> {
  const project = await trx
    .selectFrom('webhooks')
    .innerJoin('projects', 'projects.id', 'webhooks.project_id')
    .select('projects.managed_by')
    .where('webhooks.id', '=', webhookId)
    .where('webhooks.tenant_id', '=', tenantId)
    .executeTakeFirst()
  if (project !== undefined) checkFileLock(project, caller)
}
