// Usage in the database: rows are added in batches and once each, with their sums by day; sums are listed by page.
// Knows no request and no money but what it is given.

import type { ExpressionBuilder, Insertable, Kysely, Transaction } from 'kysely'
import { isJsonObject, parseJson } from '../domain/json-object.ts'
import type { Schema } from './schema.ts'
import { transact } from './transact.ts'

export type UsageRow = Insertable<Schema['usage_records']>
type DayRow = Schema['usage_days']
type Database = Pick<Kysely<Schema> | Transaction<Schema>, 'selectFrom'>

/** All or none; a row that is already there changes nothing, be it in the database or in front of it. */
export async function addUsageRows(sql: Kysely<Schema>, given: readonly UsageRow[]): Promise<void> {
  if (given.length === 0) return
  const rows = [...new Map(given.map(row => [row.request_id, row])).values()]
  await transact(sql, async trx => {
    const added = await trx
      .insertInto('usage_records')
      .values(rows)
      .onConflict(conflict => conflict.column('request_id').doNothing())
      .returning('request_id')
      .execute()
    const ids = new Set(added.map(row => row.request_id))
    const sums = sumByDay(rows.filter(row => ids.has(row.request_id)))
    if (sums.length > 0) await addToDays(trx, sums)
  })
}

/** A row as JSON text; null where it is damaged. */
export function parseUsageRow(text: string): UsageRow | null {
  const row = parseJson(text)
  const isWhole = isJsonObject(row) && typeof row['request_id'] === 'string' && typeof row['created_at'] === 'number'
  return isWhole ? (row as unknown as UsageRow) : null
}

/** In one order, so that batches of several copies wait for each other instead of dead-locking. */
function sumByDay(rows: readonly UsageRow[]): DayRow[] {
  const sums = new Map<string, DayRow>()
  for (const row of rows) {
    const { project_id, day, user_id, model } = row
    const name = JSON.stringify([project_id, day, user_id, model])
    const zero = { requests: 0, prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost_nanousd: 0 }
    const sum = sums.get(name) ?? { project_id, day, user_id, model, ...zero }
    sum.requests += 1
    sum.prompt_tokens += row.prompt_tokens
    sum.completion_tokens += row.completion_tokens
    sum.total_tokens += row.total_tokens
    sum.cost_nanousd += row.cost_nanousd
    sums.set(name, sum)
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
}

/** Of different days, users or models each: no statement may write one row twice. */
async function addToDays(trx: Transaction<Schema>, sums: readonly DayRow[]): Promise<void> {
  await trx
    .insertInto('usage_days')
    .values(sums)
    .onConflict(conflict =>
      conflict.columns(['project_id', 'day', 'user_id', 'model']).doUpdateSet(row => ({
        requests: row('usage_days.requests', '+', row.ref('excluded.requests')),
        prompt_tokens: row('usage_days.prompt_tokens', '+', row.ref('excluded.prompt_tokens')),
        completion_tokens: row('usage_days.completion_tokens', '+', row.ref('excluded.completion_tokens')),
        total_tokens: row('usage_days.total_tokens', '+', row.ref('excluded.total_tokens')),
        cost_nanousd: row('usage_days.cost_nanousd', '+', row.ref('excluded.cost_nanousd')),
      })),
    )
    .execute()
}

export interface UsageFilter {
  projectId: string
  /** Null: all users. */
  userId: string | null
  /** Days of UTC, inclusive; null: without that bound. */
  from: string | null
  to: string | null
}

export type UsageGrouping = 'day' | 'model' | 'uid'

export interface UsageSum {
  day: string | null
  model: string | null
  user_id: string | null
  requests: number
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  cost_nanousd: number
}

const groupColumns = { day: 'day', model: 'model', uid: 'user_id' } as const

/** One sum per value of the grouping, in the order of the values (days newest first), from behind `after`. */
export async function listUsage(
  sql: Database,
  filter: UsageFilter,
  grouping: UsageGrouping,
  page: { after: string | null; limit: number },
): Promise<UsageSum[]> {
  const column = groupColumns[grouping]
  const isNewestFirst = grouping === 'day'
  let query = filtered(sql, filter)
    .select(column)
    .select(sumColumns)
    .groupBy(column)
    .orderBy(column, isNewestFirst ? 'desc' : 'asc')
    .limit(page.limit)
  if (page.after !== null) query = query.where(column, isNewestFirst ? '<' : '>', page.after)
  const rows = await query.execute()
  return rows.map(row => ({ day: null, model: null, user_id: null, ...toNumbers(row), [column]: row[column] }))
}

export async function sumUsage(sql: Database, filter: UsageFilter): Promise<UsageSum> {
  const row = await filtered(sql, filter).select(sumColumns).executeTakeFirstOrThrow()
  return { day: null, model: null, user_id: null, ...toNumbers(row) }
}

/** Users from here on are our own services, up to the first id that sorts behind them all. */
const services = 'svc:'
const afterServices = 'svc;'

/** What each project and each of its end users has spent on that day, a page of projects at a time. */
export async function listSpend(sql: Database, day: string, afterProjectId: string, limit: number) {
  const projects = await sql
    .selectFrom('usage_days')
    .select('project_id')
    .distinct()
    .where('day', '=', day)
    .where(isOfEndUser)
    .where('project_id', '>', afterProjectId)
    .orderBy('project_id')
    .limit(limit)
    .execute()
  if (projects.length === 0) return []
  const rows = await sql
    .selectFrom('usage_days')
    .select(['project_id', 'user_id'])
    .select(row => row.fn.sum<number>('total_tokens').as('tokens'))
    .where('day', '=', day)
    .where(isOfEndUser)
    .where(
      'project_id',
      'in',
      projects.map(row => row.project_id),
    )
    .groupBy(['project_id', 'user_id'])
    .execute()
  return projects.map(({ project_id: projectId }) => {
    const users: Record<string, number> = {}
    for (const row of rows) if (row.project_id === projectId) users[row.user_id] = Number(row.tokens)
    return { projectId, day, tokens: Object.values(users).reduce((sum, tokens) => sum + tokens, 0), users }
  })
}

/** What the dashboard's playground spends is the tenant's to pay, and counts toward no limit of the project. */
function isOfEndUser(row: ExpressionBuilder<Schema, 'usage_days'>) {
  return row.or([row('user_id', '<', services), row('user_id', '>=', afterServices)])
}

function filtered(sql: Database, { projectId, userId, from, to }: UsageFilter) {
  let query = sql.selectFrom('usage_days').where('project_id', '=', projectId)
  if (userId !== null) query = query.where('user_id', '=', userId)
  if (from !== null) query = query.where('day', '>=', from)
  if (to !== null) query = query.where('day', '<=', to)
  return query
}

const sumNames = ['requests', 'prompt_tokens', 'completion_tokens', 'total_tokens', 'cost_nanousd'] as const
type SumName = (typeof sumNames)[number]

function sumColumns(row: ExpressionBuilder<Schema, 'usage_days'>) {
  return sumNames.map(name => row.fn.sum<number | null>(name).as(name))
}

/** No rows sum up to null. */
function toNumbers(row: Record<SumName, number | null>): Record<SumName, number> {
  const numbers = sumNames.map(name => [name, Number(row[name] ?? 0)])
  return Object.fromEntries(numbers) as Record<SumName, number>
}
