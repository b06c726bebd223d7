// Erases a deleted project or tenant: its rows in all tables, a page of one table at a time, and its own row last.

import { type Kysely, type RawBuilder, sql as text } from 'kysely'
import { eraseLateIndexed } from '../late-index/erase.ts'
import { fileLease } from '../leases.ts'
import { keySetRevision, killSwitchRevision, raiseRevision, restrictionRevision } from '../projections.ts'
import type { Schema } from '../schema.ts'
import { transact } from '../transact.ts'
import type { OwnedTable } from './owned-tables.ts'

export interface DeletedProject {
  id: string
  tenant_id: string
  slug: string
  deleted_at: number
}

/** A page of deleted projects, ordered by id. */
export async function listDeletedProjects(sql: Kysely<Schema>, afterId: string, limit: number) {
  const rows = await sql
    .selectFrom('projects')
    .select(['id', 'tenant_id', 'slug', 'deleted_at'])
    .where('deleted_at', 'is not', null)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(row => ({ ...row, deleted_at: row.deleted_at ?? 0 })) satisfies DeletedProject[]
}

/** Deleted tenants that have no projects left. */
export async function listDeletedTenants(sql: Kysely<Schema>) {
  const rows = await sql
    .selectFrom('tenants')
    .select(['id', 'deleted_at'])
    .where('deleted_at', 'is not', null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('projects').select('id').whereRef('tenant_id', '=', 'tenants.id'))),
    )
    .orderBy('id')
    .execute()
  return rows.map(row => ({ ...row, deleted_at: row.deleted_at ?? 0 }))
}

/** Deletes all rows of an owner, and yields how many after each page of at most `limit` rows. */
export async function* eraseRows(
  sql: Kysely<Schema>,
  table: OwnedTable,
  ownerId: string,
  limit: number,
): AsyncGenerator<number, void> {
  if (table.lateIndex !== undefined) return yield* eraseLateIndexed(sql, table.lateIndex, ownerId, limit)
  for (let isLeft = true; isLeft; ) {
    const count = await erasePage(sql, table, ownerId, limit)
    yield count
    isLeft = table.key.length > 0 && count === limit
  }
}

/** Deletes at most `limit` rows, or all rows of a table without a key; returns how many. */
async function erasePage(
  sql: Kysely<Schema>,
  { name, owner, key }: OwnedTable,
  ownerId: string,
  limit: number,
): Promise<number> {
  const isOwned = text`${text.ref(owner)} = ${ownerId}`
  const isOnPage = key.length === 0 ? text`` : text` and ${columns(key)} in (${page(name, key, isOwned, limit)})`
  const { numAffectedRows } = await text`delete from ${text.table(name)} where ${isOwned}${isOnPage}`.execute(sql)
  return Number(numAffectedRows ?? 0)
}

function page(name: string, key: readonly string[], isOwned: RawBuilder<unknown>, limit: number) {
  const ordered = text.join(key.map(column => text.ref(column)))
  return text`select ${ordered} from ${text.table(name)} where ${isOwned} order by ${ordered} limit ${limit}`
}

function columns(key: readonly string[]) {
  return text`(${text.join(key.map(column => text.ref(column)))})`
}

/** Deletes the kill switches, the revisions and the leases of a deleted project or tenant. */
export async function eraseMarks(sql: Kysely<Schema>, scope: 'project' | 'tenant', targetId: string): Promise<void> {
  await transact(sql, async trx => {
    const switches = await trx
      .selectFrom('kill_switches')
      .select('target_id')
      .where('scope', '=', scope)
      .where('target_id', '=', targetId)
      .execute()
    if (scope === 'project') {
      const names = [keySetRevision(targetId), restrictionRevision(targetId)]
      await trx.deleteFrom('revisions').where('name', 'in', names).execute()
      // Its deletion deletes them; none may be left if that was another version's.
      await trx.deleteFrom('webhooks').where('project_id', '=', targetId).execute()
      await trx.deleteFrom('leases').where('name', '=', fileLease(targetId)).execute()
    }
    if (switches.length === 0) return
    // First, so that a concurrent change of switches waits.
    await raiseRevision(trx, killSwitchRevision)
    await trx.deleteFrom('kill_switches').where('scope', '=', scope).where('target_id', '=', targetId).execute()
  })
}

/** Returns false if its host names are not removed yet. */
export async function eraseProject(sql: Kysely<Schema>, projectId: string): Promise<boolean> {
  const erased = await sql
    .deleteFrom('projects')
    .where('id', '=', projectId)
    .where('deleted_at', 'is not', null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('dns_jobs').select('project_id').where('project_id', '=', projectId))),
    )
    .returning('id')
    .executeTakeFirst()
  return erased !== undefined
}

export async function eraseTenant(sql: Kysely<Schema>, tenantId: string): Promise<void> {
  await sql.deleteFrom('tenants').where('id', '=', tenantId).where('deleted_at', 'is not', null).execute()
}
