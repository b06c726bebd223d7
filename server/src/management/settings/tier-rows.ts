// The rows of a project's tiers: read, and restored from a snapshot.

import type { Selectable, Transaction } from 'kysely'
import { Refusal } from '../../domain/errors.ts'
import type { SnapshotTier } from '../../domain/settings/snapshot.ts'
import type { TierOverrides } from '../../domain/settings/tier.ts'
import type { Schema } from '../../storage/schema.ts'

export type TierRow = Selectable<Schema['tiers']>

type Database = Pick<Transaction<Schema>, 'selectFrom'>

export async function listTiers(sql: Database, projectId: string): Promise<TierRow[]> {
  return await sql
    .selectFrom('tiers')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('sort_order')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function getTier(sql: Database, projectId: string, id: string): Promise<TierRow> {
  const tier = await sql
    .selectFrom('tiers')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (tier === undefined) throw new Refusal('tier_not_found')
  return tier
}

export async function snapshotTiers(sql: Database, projectId: string): Promise<SnapshotTier[]> {
  const tiers = await listTiers(sql, projectId)
  return tiers.map(tier => ({
    id: tier.id,
    name: tier.name,
    sort_order: tier.sort_order,
    created_at: tier.created_at,
    overrides: readOverrides(tier),
  }))
}

/** Restores the tiers of a snapshot with their old ids and creation times. */
export async function replaceTiers(
  trx: Transaction<Schema>,
  projectId: string,
  tiers: readonly SnapshotTier[],
  now: number,
): Promise<void> {
  const replaced = new Map((await listTiers(trx, projectId)).map(tier => [tier.id, tier.created_at]))
  await trx.deleteFrom('tiers').where('project_id', '=', projectId).execute()
  for (const { overrides, created_at, ...tier } of tiers) {
    const row = {
      ...tier,
      project_id: projectId,
      overrides: JSON.stringify(overrides),
      created_at: created_at ?? replaced.get(tier.id) ?? now,
      updated_at: now,
    }
    await trx.insertInto('tiers').values(row).execute()
  }
}

export function readOverrides(tier: TierRow): TierOverrides {
  return JSON.parse(tier.overrides)
}
