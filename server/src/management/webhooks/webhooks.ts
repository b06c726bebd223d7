// Webhooks of a tenant: create, list, delete, rotate the secret. The plaintext of a secret is returned once; it is
// stored encrypted. webhook-deliveries.ts tests them and lists what they sent.

import { randomBytes } from 'node:crypto'
import type { Selectable, Transaction } from 'kysely'
import { z } from 'zod'
import { newWebhookSecret, webhookSecretContext } from '../../crypto/secrets/webhook-signature.ts'
import { dayMs } from '../../domain/day.ts'
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
import type { ManagementDependencies } from '../dependencies.ts'
import { lockTenant } from '../lock-tenant.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import { getAllowedUrl } from '../plane/allowed-address.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'

export const webhooksPath = '/auth/v1/tenants/:tenantId/webhooks'
const common = { credential: 'session', owner: 'tenant' } as const

const maxWebhooks = 10
/** How long the previous secret signs too after a rotation, so that receivers can change over. */
const rotationMs = dayMs

const typesSchema = z.array(z.enum(webhookTypes)).nullable()
const listedSchema = z.object({
  id: z.string(),
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
          .select(['id', 'url', 'types', 'created_at', 'previous_until'])
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
      refusals: ['invalid_base_url', 'webhook_limit'],
      idempotency: 'secret',
      async handle({ owned, body }) {
        const url = await getAllowedUrl(management.outbound, body.url)
        const types = body.types == null ? null : [...new Set(body.types)]
        return { status: 201, body: await createWebhook(management, { tenantId: owned.tenant.id, url, types }) }
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
      refusals: ['webhook_not_found'],
      async handle({ owned, params }) {
        await transact(sql, trx => deleteWebhook(trx, owned.tenant.id, params['webhookId'] ?? ''))
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
      refusals: ['webhook_not_found'],
      idempotency: 'secret',
      async handle({ owned, params }) {
        const body = await transact(sql, trx =>
          rotate(trx, management, { tenantId: owned.tenant.id, webhookId: params['webhookId'] ?? '' }),
        )
        return { status: 200, body }
      },
    }),
  ]
}

type Row = Pick<Selectable<Schema['webhooks']>, 'id' | 'url' | 'types' | 'created_at' | 'previous_until'>

function show({ id, url, types, created_at, previous_until }: Row, now: number) {
  return {
    id,
    url,
    types: types === null ? null : (JSON.parse(types) as WebhookType[]),
    created_at: isoTime(created_at),
    previous_secret_until: isoTime(previous_until !== null && previous_until > now ? previous_until : null),
  }
}

interface NewWebhook {
  tenantId: string
  url: string
  types: WebhookType[] | null
}

async function createWebhook(management: ManagementDependencies, { tenantId, url, types }: NewWebhook) {
  const { sql, now, randomId, secretBox } = management
  const secret = newWebhookSecret(randomBytes)
  const id = randomId()
  const row = {
    id,
    tenant_id: tenantId,
    url,
    types: types === null ? null : JSON.stringify(types),
    ciphertext: secretBox.seal(secret, webhookSecretContext({ tenantId, webhookId: id, url })),
    previous_until: null,
    created_at: now(),
    due_at: null,
    is_slow: 0 as const,
    claim: null,
    claimed_until: 0,
  }
  await transact(sql, async trx => {
    await lockTenant(trx, tenantId)
    const { count } = await trx
      .selectFrom('webhooks')
      .select(({ fn }) => fn.countAll<number | string>().as('count'))
      .where('tenant_id', '=', tenantId)
      .executeTakeFirstOrThrow()
    if (Number(count) >= maxWebhooks) throw new Refusal('webhook_limit')
    noteAct({ target: { id } })
    await trx.insertInto('webhooks').values(row).execute()
  })
  return { ...show(row, now()), secret }
}

/** The webhook first, as every writer of both tables locks it. */
async function deleteWebhook(trx: Transaction<Schema>, tenantId: string, webhookId: string): Promise<void> {
  const deleted = await trx
    .deleteFrom('webhooks')
    .where('id', '=', webhookId)
    .where('tenant_id', '=', tenantId)
    .returning('id')
    .executeTakeFirst()
  if (deleted === undefined) throw new Refusal('webhook_not_found')
  await trx
    .deleteFrom('webhook_deliveries')
    .where('tenant_id', '=', tenantId)
    .where('webhook_id', '=', webhookId)
    .execute()
}

/** A second rotation within 24 hours ends the secret before the previous one. */
async function rotate(
  trx: Transaction<Schema>,
  { now, secretBox }: ManagementDependencies,
  { tenantId, webhookId }: { tenantId: string; webhookId: string },
) {
  const previousUntil = now() + rotationMs
  const row = await trx
    .updateTable('webhooks')
    .set({ previous_until: previousUntil })
    .where('id', '=', webhookId)
    .where('tenant_id', '=', tenantId)
    .returning(['id', 'url', 'types', 'created_at', 'previous_until', 'ciphertext'])
    .executeTakeFirst()
  if (row === undefined) throw new Refusal('webhook_not_found')
  const context = webhookSecretContext({ tenantId, webhookId, url: row.url })
  const [previous = ''] = secretBox.open(row.ciphertext, context).split(' ')
  const secret = newWebhookSecret(randomBytes)
  await trx
    .updateTable('webhooks')
    .set({ ciphertext: secretBox.seal(`${secret} ${previous}`, context) })
    .where('id', '=', webhookId)
    .execute()
  return { ...show(row, now()), secret }
}
