// Appends entries to chains. The end of a chain is locked first, so that its entries are numbered in the order in which
// they are committed, and no number is missing.

import type { Transaction } from 'kysely'
import { newTimedId } from '../../crypto/timed-id.ts'
import { type AuditEntry, noHash, sealEntry } from '../../domain/audit/entry.ts'
import type { Schema } from '../schema.ts'
import { executeTogether } from '../transact.ts'
import { type EventWebhook, findWebhooks, type QueuedEvent, queueFor } from '../webhooks/queue-deliveries.ts'

/** The chain of what belongs to no tenant. */
export const installationChain = 'installation'

export interface ChainEnd {
  chain: string
  /** Of the entry that will be appended. */
  seq: number
  prevHash: string
}

export type NewEntry = Omit<AuditEntry, 'seq' | 'id' | 'at' | 'project_id' | 'prev_hash' | 'hash'>

interface EntryPlace {
  at: number
  /** The project that the target belongs to. */
  projectId?: string | null
  /** By default they are looked up. */
  webhooks?: readonly EventWebhook[]
}

/** The installation's chain has none. */
export async function findWebhooksOfChain(
  trx: Transaction<Schema>,
  chain: string,
  projectId: string | null,
): Promise<EventWebhook[]> {
  return chain === installationChain ? [] : await findWebhooks(trx, { tenantId: chain, projectId })
}

/** Until its transaction ends, the caller alone appends to the chain. */
export async function lockChain(trx: Transaction<Schema>, chain: string): Promise<ChainEnd> {
  const first = { seq: 1, hash: noHash, start_seq: 0, start_hash: noHash, start_signature: null }
  const { seq, hash } = await trx
    .insertInto('audit_heads')
    .values({ tenant_id: chain, ...first })
    .onConflict(conflict => conflict.column('tenant_id').doUpdateSet(row => ({ seq: row('audit_heads.seq', '+', 1) })))
    .returning(['seq', 'hash'])
    .executeTakeFirstOrThrow()
  return { chain, seq, prevHash: hash }
}

export async function appendEntry(
  trx: Transaction<Schema>,
  { chain, seq, prevHash }: ChainEnd,
  given: NewEntry,
  { at, projectId = null, webhooks }: EntryPlace,
): Promise<AuditEntry> {
  const place = { seq, id: newTimedId(at), at: new Date(at).toISOString() }
  const entry = sealEntry({ ...place, ...given, project_id: projectId, prev_hash: prevHash })
  const { actor, action, target, outcome, hash, before, after } = entry
  const row = {
    tenant_id: chain,
    seq,
    at,
    actor_id: actor.id,
    action,
    target_type: target.type,
    target_id: target.id,
    project_id: projectId,
    outcome,
    is_change: before === null && after === null ? (0 as const) : (1 as const),
    entry: JSON.stringify(entry),
  }
  await executeTogether(trx, [
    trx.insertInto('audit_entries').values(row).compile(),
    trx.updateTable('audit_heads').set({ hash }).where('tenant_id', '=', chain).compile(),
  ])
  const known = webhooks ?? (await findWebhooksOfChain(trx, chain, projectId))
  if (known.length > 0) await tellWebhooks(trx, entry, known, { tenantId: chain, projectId, at })
  return entry
}

/** Without names and contents: receivers that need them read the entry. */
async function tellWebhooks(
  trx: Transaction<Schema>,
  entry: AuditEntry,
  webhooks: readonly EventWebhook[],
  place: Pick<QueuedEvent, 'tenantId' | 'projectId' | 'at'>,
): Promise<void> {
  const { seq, id, actor, action, target, outcome, hash } = entry
  const data = {
    seq,
    action,
    outcome,
    actor_kind: actor.kind,
    actor_id: actor.id ?? '',
    target_type: target.type,
    target_id: target.id ?? '',
    hash,
  }
  await queueFor(trx, webhooks, { id, type: 'audit', data, ...place })
}
