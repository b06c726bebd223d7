// The webhooks of a tenant: of all its events, or of those of one project. Secrets are sealed for their webhook.

import type { Kysely, Selectable, Transaction } from 'kysely'
import type { SecretBox } from '../../crypto/secrets/secret-box.ts'
import { webhookSecretContext } from '../../crypto/secrets/webhook-signature.ts'
import { dayMs } from '../../domain/day.ts'
import { Refusal } from '../../domain/errors.ts'
import type { WebhookType } from '../../domain/webhooks/tenant-events.ts'
import type { Schema } from '../schema.ts'

export type WebhookRow = Selectable<Schema['webhooks']>
type Database = Pick<Kysely<Schema>, 'selectFrom'>

export interface NewWebhook {
  id: string
  tenantId: string
  projectId: string | null
  url: string
  types: readonly WebhookType[] | null
  secret: string
}

interface Means {
  secretBox: SecretBox
  now: () => number
}

const maxWebhooks = 10
/** How long the previous secret signs too after a rotation, so that receivers can change over. */
const rotationMs = dayMs

export const readTypes = (types: string | null): WebhookType[] | null => (types === null ? null : JSON.parse(types))
const writeTypes = (types: readonly WebhookType[] | null) => (types === null ? null : JSON.stringify(types))

/** Of a project alone, in the order of their addresses. */
export async function listProjectWebhooks(sql: Database, projectId: string): Promise<WebhookRow[]> {
  const rows = await sql.selectFrom('webhooks').selectAll().where('project_id', '=', projectId).execute()
  return rows.sort((a, b) => (a.url < b.url ? -1 : 1))
}

/** The caller has locked the tenant. */
export async function insertWebhook(trx: Transaction<Schema>, { secretBox, now }: Means, webhook: NewWebhook) {
  const { id, tenantId, projectId, url, types, secret } = webhook
  const others = await trx
    .selectFrom('webhooks')
    .select(['url', 'project_id'])
    .where('tenant_id', '=', tenantId)
    .execute()
  if (others.length >= maxWebhooks) throw new Refusal('webhook_limit')
  const isTaken = projectId !== null && others.some(other => other.project_id === projectId && other.url === url)
  if (isTaken) throw new Refusal('webhook_url_taken')
  const row: WebhookRow = {
    id,
    tenant_id: tenantId,
    project_id: projectId,
    url,
    types: writeTypes(types),
    ciphertext: secretBox.seal(secret, webhookSecretContext({ tenantId, webhookId: id, url })),
    previous_until: null,
    created_at: now(),
    due_at: null,
    is_slow: 0,
    claim: null,
    claimed_until: 0,
  }
  await trx.insertInto('webhooks').values(row).execute()
  return row
}

export async function setWebhookTypes(
  trx: Transaction<Schema>,
  webhookId: string,
  types: readonly WebhookType[] | null,
): Promise<void> {
  await trx
    .updateTable('webhooks')
    .set({ types: writeTypes(types) })
    .where('id', '=', webhookId)
    .execute()
}

/** The current one. */
export function openWebhookSecret(
  secretBox: SecretBox,
  { tenant_id: tenantId, id: webhookId, url, ciphertext }: WebhookRow,
): string {
  const [current = ''] = secretBox.open(ciphertext, webhookSecretContext({ tenantId, webhookId, url })).split(' ')
  return current
}

/** A second replacement within 24 hours ends the secret before the previous one. */
export async function replaceWebhookSecret(
  trx: Transaction<Schema>,
  { secretBox, now }: Means,
  { tenantId, webhookId, secret }: { tenantId: string; webhookId: string; secret: string },
): Promise<WebhookRow> {
  const row = await trx
    .updateTable('webhooks')
    .set({ previous_until: now() + rotationMs })
    .where('id', '=', webhookId)
    .where('tenant_id', '=', tenantId)
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) throw new Refusal('webhook_not_found')
  const previous = openWebhookSecret(secretBox, row)
  const context = webhookSecretContext({ tenantId, webhookId, url: row.url })
  await trx
    .updateTable('webhooks')
    .set({ ciphertext: secretBox.seal(`${secret} ${previous}`, context) })
    .where('id', '=', webhookId)
    .execute()
  return row
}

/** With their deliveries. The webhooks first, as every writer of both tables locks them. Returns their count. */
export async function deleteWebhooks(
  trx: Transaction<Schema>,
  tenantId: string,
  webhookIds: readonly string[],
): Promise<number> {
  if (webhookIds.length === 0) return 0
  const deleted = await trx
    .deleteFrom('webhooks')
    .where('id', 'in', webhookIds)
    .where('tenant_id', '=', tenantId)
    .returning('id')
    .execute()
  await trx
    .deleteFrom('webhook_deliveries')
    .where('tenant_id', '=', tenantId)
    .where('webhook_id', 'in', webhookIds)
    .execute()
  return deleted.length
}
