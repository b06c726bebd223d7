// The queue of deliveries, for the replica that has claimed their webhook.

import type { Kysely, Transaction } from 'kysely'
import type { DeliveryStatus } from '../../domain/webhooks/delivery-schedule.ts'
import { type Claiming, claimDue } from '../claim-due.ts'
import type { Schema } from '../schema.ts'
import { transact } from '../transact.ts'

type Database = Kysely<Schema>

export interface WebhookClaim {
  webhookId: string
  claim: string
}

/** Claims webhooks with due deliveries. */
export async function claimWebhooks(sql: Database, wanted: Claiming): Promise<(WebhookClaim & { isSlow: boolean })[]> {
  const { claim, time } = wanted
  const claimed = await claimDue(sql, 'webhooks', wanted, (isSlow, limit) =>
    sql
      .selectFrom('webhooks')
      .select(['id', 'is_slow'])
      .where('is_slow', '=', isSlow)
      .where('due_at', '<=', time)
      .where('claimed_until', '<=', time)
      .orderBy('due_at')
      .limit(limit),
  )
  return claimed.map(({ id, isSlow }) => ({ webhookId: id, claim, isSlow }))
}

export interface DueDelivery {
  id: string
  body: string
  attempts: number
  createdAt: number
}

export interface DueBatch {
  tenantId: string
  url: string
  ciphertext: string
  previousUntil: number | null
  deliveries: DueDelivery[]
}

/**
 * Extends the claim and returns the next due deliveries, the oldest first. Releases the webhook and returns null if
 * none is due; null too if the claim is lost or the webhook was deleted.
 */
export async function takeDueDeliveries(
  sql: Database,
  claimed: WebhookClaim,
  { time, claimMs, limit }: { time: number; claimMs: number; limit: number },
): Promise<DueBatch | null> {
  return await transact(sql, async trx => {
    const webhook = await holdClaim(trx, claimed, time, time + claimMs)
    if (webhook === null) return null
    const rows = await trx
      .selectFrom('webhook_deliveries')
      .select(['id', 'body', 'attempts', 'created_at'])
      .where('webhook_id', '=', claimed.webhookId)
      .where('status', '=', 'pending')
      .where('next_attempt_at', '<=', time)
      .orderBy('next_attempt_at')
      .orderBy('id')
      .limit(limit)
      .execute()
    if (rows.length === 0) {
      await release(trx, claimed.webhookId)
      return null
    }
    const deliveries = rows.map(({ created_at, ...row }) => ({ ...row, createdAt: created_at }))
    const { tenant_id: tenantId, url, ciphertext, previous_until: previousUntil } = webhook
    return { tenantId, url, ciphertext, previousUntil, deliveries }
  })
}

export interface AttemptOutcome {
  id: string
  status: DeliveryStatus
  lastStatus: number | null
  nextAttemptAt: number | null
}

/** Returns false if the claim is lost or the webhook was deleted: then nothing is written. */
export async function recordAttempts(
  sql: Database,
  claimed: WebhookClaim,
  outcomes: readonly AttemptOutcome[],
  { time, claimMs, isSlow }: { time: number; claimMs: number; isSlow: boolean },
): Promise<boolean> {
  return await transact(sql, async trx => {
    if ((await holdClaim(trx, claimed, time, time + claimMs)) === null) return false
    await trx
      .updateTable('webhooks')
      .set({ is_slow: isSlow ? 1 : 0 })
      .where('id', '=', claimed.webhookId)
      .execute()
    for (const { id, status, lastStatus, nextAttemptAt } of outcomes) {
      await trx
        .updateTable('webhook_deliveries')
        .set(row => ({
          status,
          attempts: row('attempts', '+', 1),
          last_status: lastStatus,
          ...(nextAttemptAt === null ? {} : { next_attempt_at: nextAttemptAt }),
        }))
        .where('webhook_id', '=', claimed.webhookId)
        .where('id', '=', id)
        .execute()
    }
    return true
  })
}

/** Does nothing if the claim is lost. */
export async function releaseWebhook(sql: Database, claimed: WebhookClaim, time: number): Promise<void> {
  await transact(sql, async trx => {
    if ((await holdClaim(trx, claimed, time, time)) !== null) await release(trx, claimed.webhookId)
  })
}

/** Locks the webhook's row: no delivery is added until the end of the transaction. */
async function holdClaim(trx: Transaction<Schema>, { webhookId, claim }: WebhookClaim, time: number, until: number) {
  const webhook = await trx
    .updateTable('webhooks')
    .set({ claimed_until: until })
    .where('id', '=', webhookId)
    .where('claim', '=', claim)
    .where('claimed_until', '>', time)
    .returning(['tenant_id', 'url', 'ciphertext', 'previous_until'])
    .executeTakeFirst()
  return webhook ?? null
}

async function release(trx: Transaction<Schema>, webhookId: string): Promise<void> {
  const next = await trx
    .selectFrom('webhook_deliveries')
    .select('next_attempt_at')
    .where('webhook_id', '=', webhookId)
    .where('status', '=', 'pending')
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst()
  await trx
    .updateTable('webhooks')
    .set({ claim: null, claimed_until: 0, due_at: next?.next_attempt_at ?? null })
    .where('id', '=', webhookId)
    .execute()
}

/** Deletes at most `limit` of the deliveries before that time, the oldest first; returns how many. */
export async function deleteOldDeliveries(sql: Database, before: number, limit: number): Promise<number> {
  const { numDeletedRows } = await sql
    .deleteFrom('webhook_deliveries')
    .where(row =>
      row(
        row.refTuple('tenant_id', 'webhook_id', 'id'),
        'in',
        row
          .selectFrom('webhook_deliveries')
          .select(['tenant_id', 'webhook_id', 'id'])
          .where('created_at', '<', before)
          .orderBy('created_at')
          .limit(limit)
          .$asTuple('tenant_id', 'webhook_id', 'id'),
      ),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
