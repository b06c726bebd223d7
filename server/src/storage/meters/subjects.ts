// The customers of a meter's subjects.

import { type Kysely, type Transaction, sql as text } from 'kysely'
import type { EndUserKey } from '../end-users/restrict.ts'
import type { Schema } from '../schema.ts'

type Database = Kysely<Schema>
type Reader = Pick<Database | Transaction<Schema>, 'selectFrom'>

export interface MeterRef {
  tenantId: string
  meterId: string
}

/** Customers by subject; those of subjects without one are not in it. */
export async function findCustomers(
  sql: Reader,
  { tenantId, meterId }: MeterRef,
  subjects: readonly string[],
): Promise<Map<string, string>> {
  if (subjects.length === 0) return new Map()
  const rows = await sql
    .selectFrom('meter_subjects')
    .select(['subject', 'customer'])
    .where('tenant_id', '=', tenantId)
    .where('meter_id', '=', meterId)
    .where('subject', 'in', subjects)
    .execute()
  return new Map(rows.map(({ subject, customer }) => [subject, customer]))
}

/** A page by subject. */
export async function listCustomers(
  sql: Reader,
  { tenantId, meterId }: MeterRef,
  { after, limit }: { after: string | null; limit: number },
) {
  let rows = sql
    .selectFrom('meter_subjects')
    .select(['subject', 'customer'])
    .where('tenant_id', '=', tenantId)
    .where('meter_id', '=', meterId)
  if (after !== null) rows = rows.where('subject', '>', after)
  return await rows.orderBy('subject').limit(limit).execute()
}

/** Sets customers, and removes those that are null; others stay. */
export async function putCustomers(
  trx: Transaction<Schema>,
  { tenantId, meterId }: MeterRef,
  customers: ReadonlyMap<string, string | null>,
): Promise<void> {
  // In one order, so that two of these wait for each other.
  const all = [...customers].sort(([a], [b]) => (a < b ? -1 : 1))
  const removed = all.flatMap(([subject, customer]) => (customer === null ? [subject] : []))
  const set = all.flatMap(([subject, customer]) =>
    customer === null ? [] : [{ tenant_id: tenantId, meter_id: meterId, subject, customer }],
  )
  if (set.length > 0) {
    await trx
      .insertInto('meter_subjects')
      .values(set)
      .onConflict(conflict =>
        conflict
          .columns(['tenant_id', 'meter_id', 'subject'])
          .doUpdateSet({ customer: text<string>`excluded.customer` }),
      )
      .execute()
  }
  if (removed.length > 0) {
    await trx
      .deleteFrom('meter_subjects')
      .where('tenant_id', '=', tenantId)
      .where('meter_id', '=', meterId)
      .where('subject', 'in', removed)
      .execute()
  }
}

/** Counts up to a limit. */
export async function countCustomers(sql: Reader, { tenantId, meterId }: MeterRef, limit: number): Promise<number> {
  const { count } = await sql
    .selectFrom(eb =>
      eb
        .selectFrom('meter_subjects')
        .select('subject')
        .where('tenant_id', '=', tenantId)
        .where('meter_id', '=', meterId)
        .limit(limit)
        .as('counted'),
    )
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Deletes at most `limit` of a meter's customers; returns how many. */
export async function deleteCustomers(sql: Database, { tenantId, meterId }: MeterRef, limit: number): Promise<number> {
  const { numDeletedRows } = await sql
    .deleteFrom('meter_subjects')
    .where('tenant_id', '=', tenantId)
    .where('meter_id', '=', meterId)
    .where('subject', 'in', row =>
      row
        .selectFrom('meter_subjects')
        .select('subject')
        .where('tenant_id', '=', tenantId)
        .where('meter_id', '=', meterId)
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Removes the customer of an end user who is erased, unless another project of the tenant knows the same id. */
export async function forgetCustomer(sql: Database, { projectId, userId }: EndUserKey): Promise<void> {
  await text`delete from meter_subjects where subject = ${userId}
    and meter_id in (select meters.id from meters join projects on projects.tenant_id = meters.tenant_id
      where projects.id = ${projectId} and meters.subject = 'uid')
    and not exists (select 1 from projects join end_users on end_users.project_id = projects.id
      where projects.tenant_id = meter_subjects.tenant_id and projects.id <> ${projectId}
        and end_users.user_id = ${userId})`.execute(sql)
}
