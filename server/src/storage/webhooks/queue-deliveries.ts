// Queues an event for the webhooks of its tenant. Every writer of both tables locks the webhook's row first, so that a
// webhook's `due_at` is never later than its next pending delivery.

import type { Transaction } from 'kysely'
import { newTimedId } from '../../crypto/timed-id.ts'
import { auditEventType } from '../../domain/webhooks/tenant-events.ts'
import type { Schema } from '../schema.ts'

export interface QueuedEvent {
  id: string
  type: string
  tenantId: string
  projectId: string | null
  data: object
  at: number
}

export interface EventWebhook {
  id: string
  types: string | null
}

/** Those of the tenant and of the project, whatever they want. */
export async function findWebhooks(
  trx: Transaction<Schema>,
  { tenantId, projectId }: Pick<QueuedEvent, 'tenantId' | 'projectId'>,
): Promise<EventWebhook[]> {
  return await trx
    .selectFrom('webhooks')
    .select(['id', 'types'])
    .where('tenant_id', '=', tenantId)
    .where(row => row.or([row('project_id', 'is', null), row('project_id', '=', projectId)]))
    .orderBy('id')
    .execute()
}

/** One delivery for each of them that wants the type. */
export async function queueFor(
  trx: Transaction<Schema>,
  webhooks: readonly EventWebhook[],
  event: QueuedEvent,
): Promise<void> {
  for (const { id, types } of webhooks) {
    if (wants(types, event.type)) await queueDelivery(trx, id, event)
  }
}

/** The audit has an entry for each write: only a webhook that names it gets them. */
function wants(types: string | null, type: string): boolean {
  return types === null ? type !== auditEventType : (JSON.parse(types) as string[]).includes(type)
}

/** Returns the delivery, or null if the webhook has been deleted. */
export async function queueDelivery(trx: Transaction<Schema>, webhookId: string, event: QueuedEvent) {
  const { at } = event
  const locked = await trx
    .updateTable('webhooks')
    .set(row => ({
      due_at: row
        .case()
        .when(row.and([row('due_at', 'is not', null), row('due_at', '<', at)]))
        .then(row.ref('due_at'))
        .else(at)
        .end(),
    }))
    .where('id', '=', webhookId)
    .where('tenant_id', '=', event.tenantId)
    .returning('id')
    .executeTakeFirst()
  if (locked === undefined) return null
  const delivery = {
    tenant_id: event.tenantId,
    webhook_id: webhookId,
    id: newTimedId(at),
    type: event.type,
    body: writeBody(event),
    status: 'pending' as const,
    attempts: 0,
    last_status: null,
    next_attempt_at: at,
    created_at: at,
  }
  await trx.insertInto('webhook_deliveries').values(delivery).execute()
  return delivery
}

function writeBody({ id, type, tenantId, projectId, data, at }: QueuedEvent): string {
  const timestamp = new Date(at).toISOString()
  return JSON.stringify({ id, type, timestamp, tenant_id: tenantId, project_id: projectId, data })
}
