// The budgets of tenants and of end users. Each change raises one revision, by which every replica notices it.

import type { Kysely, Transaction } from 'kysely'
import type { Budget } from '../../domain/budgets/budget.ts'
import { Refusal } from '../../domain/errors.ts'
import type { EndUserKey } from '../end-users/restrict.ts'
import { raiseRevision } from '../projections.ts'
import type { Schema } from '../schema.ts'
import { transact } from '../transact.ts'

type Database = Pick<Kysely<Schema>, 'selectFrom'>

export const budgetsRevision = 'budgets'

/** Every replica holds all of them in memory. */
const maxUsersOfProject = 10_000

export async function getTenantBudgets(sql: Database, tenantId: string): Promise<Budget[]> {
  const row = await sql
    .selectFrom('tenant_budgets')
    .select('budgets')
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst()
  return row === undefined ? [] : JSON.parse(row.budgets)
}

export async function putTenantBudgets(sql: Kysely<Schema>, tenantId: string, budgets: readonly Budget[], now: number) {
  await transact(sql, async trx => {
    await raiseRevision(trx, budgetsRevision)
    if (budgets.length === 0) {
      await trx.deleteFrom('tenant_budgets').where('tenant_id', '=', tenantId).execute()
      return
    }
    const values = { budgets: JSON.stringify(budgets), updated_at: now }
    await trx
      .insertInto('tenant_budgets')
      .values({ tenant_id: tenantId, ...values })
      .onConflict(conflict => conflict.column('tenant_id').doUpdateSet(values))
      .execute()
  })
}

export async function getEndUserBudgets(sql: Database, { projectId, userId }: EndUserKey): Promise<Budget[]> {
  const row = await sql
    .selectFrom('end_user_budgets')
    .select('budgets')
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row === undefined ? [] : JSON.parse(row.budgets)
}

export interface EndUserBudgets {
  userId: string
  budgets: readonly Budget[]
}

/** In the order of their ids. */
export async function listEndUserBudgets(sql: Database, projectId: string): Promise<EndUserBudgets[]> {
  const rows = await sql
    .selectFrom('end_user_budgets')
    .select(['user_id', 'budgets'])
    .where('project_id', '=', projectId)
    .execute()
  return rows
    .map(row => ({ userId: row.user_id, budgets: JSON.parse(row.budgets) as Budget[] }))
    .sort((a, b) => (a.userId < b.userId ? -1 : 1))
}

export async function hasEndUserBudgets(sql: Database, projectId: string): Promise<boolean> {
  const rows = sql.selectFrom('end_user_budgets').select('user_id').where('project_id', '=', projectId)
  return (await rows.limit(1).executeTakeFirst()) !== undefined
}

/** So many users in one statement. */
const usersAtOnce = 500

export async function putEndUserBudgets(
  sql: Kysely<Schema>,
  { projectId, userId }: EndUserKey,
  budgets: readonly Budget[],
  now: number,
): Promise<void> {
  await transact(sql, trx => writeEndUserBudgets(trx, projectId, [{ userId, budgets }], now))
}

/** Replaces the budgets of these end users; none removes them. */
export async function writeEndUserBudgets(
  trx: Transaction<Schema>,
  projectId: string,
  users: readonly EndUserBudgets[],
  now: number,
): Promise<void> {
  if (users.length === 0) return
  // First, so that concurrent changes wait for each other.
  await raiseRevision(trx, budgetsRevision)
  for (let at = 0; at < users.length; at += usersAtOnce) {
    const some = users.slice(at, at + usersAtOnce)
    const ids = some.map(({ userId }) => userId)
    await trx.deleteFrom('end_user_budgets').where('project_id', '=', projectId).where('user_id', 'in', ids).execute()
    const rows = some
      .filter(({ budgets }) => budgets.length > 0)
      .map(({ userId, budgets }) => ({
        project_id: projectId,
        user_id: userId,
        budgets: JSON.stringify(budgets),
        updated_at: now,
      }))
    if (rows.length > 0) await trx.insertInto('end_user_budgets').values(rows).execute()
  }
  await refuseTooMany(trx, projectId)
}

async function refuseTooMany(trx: Transaction<Schema>, projectId: string): Promise<void> {
  const { count } = await trx
    .selectFrom('end_user_budgets')
    .select(row => row.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow()
  if (Number(count) > maxUsersOfProject) throw new Refusal('too_many_user_budgets')
}

export interface GivenBudgets {
  /** By tenant. */
  tenants: ReadonlyMap<string, readonly Budget[]>
  /** By project, then by end user. */
  endUsers: ReadonlyMap<string, ReadonlyMap<string, readonly Budget[]>>
}

export async function readAllBudgets(sql: Database): Promise<GivenBudgets> {
  const tenants = await sql.selectFrom('tenant_budgets').select(['tenant_id', 'budgets']).execute()
  const users = await sql.selectFrom('end_user_budgets').select(['project_id', 'user_id', 'budgets']).execute()
  const endUsers = new Map<string, Map<string, readonly Budget[]>>()
  for (const { project_id, user_id, budgets } of users) {
    const ofProject = endUsers.get(project_id) ?? new Map<string, readonly Budget[]>()
    endUsers.set(project_id, ofProject.set(user_id, JSON.parse(budgets)))
  }
  return { tenants: new Map(tenants.map(row => [row.tenant_id, JSON.parse(row.budgets)])), endUsers }
}
