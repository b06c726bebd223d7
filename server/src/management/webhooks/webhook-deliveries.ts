// What a webhook sent and has yet to send, and a test delivery on request.

import type { Selectable } from 'kysely'
import { z } from 'zod'
import { newTimedId } from '../../crypto/timed-id.ts'
import { getPage } from '../../domain/cursor.ts'
import { Refusal } from '../../domain/errors.ts'
import { deliveryStatuses } from '../../domain/webhooks/delivery-schedule.ts'
import { testEventType, webhookTypes } from '../../domain/webhooks/tenant-events.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import { queueDelivery } from '../../storage/webhooks/queue-deliveries.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { pageQuery } from '../plane/fields.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import { webhooksPath } from './webhooks.ts'

const common = { credential: 'session', owner: 'tenant' } as const
const testsPerMinute = 10

const deliverySchema = z.object({
  id: z.string().meta({ description: 'The header `webhook-id` of each attempt' }),
  type: z.enum([...webhookTypes, testEventType]),
  status: z.enum(deliveryStatuses),
  attempts: z.int(),
  last_status: z
    .int()
    .nullable()
    .meta({ description: "The HTTP status of the last attempt's response; null without a response" }),
  created_at: z.string(),
})

export function webhookDeliveryRoutes(management: ManagementDependencies): Route[] {
  const { sql } = management
  return [
    route({
      ...common,
      method: 'POST',
      path: `${webhooksPath}/:webhookId/test`,
      operation: 'testWebhook',
      audit: { action: 'webhook.test', target: 'webhookId' },
      permission: 'webhooks:write',
      summary: 'Queue a delivery of type `webhook_test`; at most 10 a minute for each webhook',
      answers: { 202: deliverySchema },
      refusals: ['webhook_not_found', 'webhook_test_rate_limited'],
      idempotency: 'replay',
      async handle({ owned, params }) {
        return { status: 202, body: await queueTest(management, owned.tenant.id, params['webhookId'] ?? '') }
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${webhooksPath}/:webhookId/deliveries`,
      operation: 'listWebhookDeliveries',
      permission: 'project:read',
      summary: 'List the deliveries of a webhook in the last 30 days, newest first',
      query: pageQuery,
      answers: { 200: z.object({ data: z.array(deliverySchema), next_cursor: z.string().nullable() }) },
      refusals: ['webhook_not_found'],
      async handle({ owned, params, query }) {
        const [tenantId, webhookId] = [owned.tenant.id, params['webhookId'] ?? '']
        await checkWebhook(sql, tenantId, webhookId)
        const page = getPage(query, { list: ['webhook-deliveries', tenantId, webhookId], key: ['string'] })
        let rows = sql
          .selectFrom('webhook_deliveries')
          .select(['id', 'type', 'status', 'attempts', 'last_status', 'created_at'])
          .where('tenant_id', '=', tenantId)
          .where('webhook_id', '=', webhookId)
        if (page.after !== null) rows = rows.where('id', '<', page.after[0])
        const found = await rows
          .orderBy('id', 'desc')
          .limit(page.limit + 1)
          .execute()
        const shown = found.slice(0, page.limit)
        const last = shown.at(-1)
        const nextCursor = found.length > page.limit && last !== undefined ? page.cursorAfter([last.id]) : null
        return { status: 200, body: { data: shown.map(show), next_cursor: nextCursor } }
      },
    }),
  ]
}

type Row = Selectable<Schema['webhook_deliveries']>

function show({
  id,
  type,
  status,
  attempts,
  last_status,
  created_at,
}: Omit<Row, 'tenant_id' | 'webhook_id' | 'body' | 'next_attempt_at'>) {
  return { id, type, status, attempts, last_status, created_at: isoTime(created_at) }
}

async function checkWebhook(sql: ManagementDependencies['sql'], tenantId: string, webhookId: string): Promise<void> {
  const webhook = await sql
    .selectFrom('webhooks')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', webhookId)
    .executeTakeFirst()
  if (webhook === undefined) throw new Refusal('webhook_not_found')
}

async function queueTest({ sql, now, windows }: ManagementDependencies, tenantId: string, webhookId: string) {
  await checkWebhook(sql, tenantId, webhookId)
  const taken = await windows.take([{ name: `test-webhook:${webhookId}`, limit: testsPerMinute, windowSeconds: 60 }])
  if (!taken.admitted) {
    throw new Refusal('webhook_test_rate_limited', { retryAfterSeconds: taken.retryAfterSeconds })
  }
  const at = now()
  const event = { id: newTimedId(at), type: testEventType, tenantId, projectId: null, data: {}, at }
  const delivery = await transact(sql, trx => queueDelivery(trx, webhookId, event))
  if (delivery === null) throw new Refusal('webhook_not_found')
  return show(delivery)
}
