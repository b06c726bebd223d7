// Queries usage: sums by page, and a day's spending. `add-usage-rows.ts` writes the rows.

import type { ExpressionBuilder, Kysely, Transaction } from 'kysely'
import type { Schema } from './schema.ts'

type Database = Pick<Kysely<Schema> | Transaction<Schema>, 'selectFrom'>

export interface UsageFilter {
  projectId: string
  /** Null for all users. */
  userId: string | null
  /** Days of UTC, inclusive; null means no bound. */
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

/** One sum per value of the grouping, ordered by value (days newest first), after `after`. */
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

type DaySum = Omit<Schema['usage_days'], 'project_id'>

/** The sums by day, user and model, in this order, after `after`. */
export async function listUsageDays(
  sql: Database,
  filter: UsageFilter,
  page: { after: DaySum | null; limit: number },
): Promise<DaySum[]> {
  const key = ['day', 'user_id', 'model'] as const
  let query = filtered(sql, filter).select([...key, ...sumNames])
  for (const column of key) query = query.orderBy(column)
  const { after } = page
  if (after !== null) {
    query = query.where(row => row(row.refTuple(...key), '>', row.tuple(after.day, after.user_id, after.model)))
  }
  const rows = await query.limit(page.limit).execute()
  return rows.map(row => ({ ...row, ...toNumbers(row) }))
}

/** The sums of a project by tier, '' for none, ordered by its name after `after`. */
export async function listUsageByTier(
  sql: Database,
  { projectId, from, to }: Omit<UsageFilter, 'userId'>,
  page: { after: string | null; limit: number },
) {
  let query = sql.selectFrom('usage_tiers').select('tier').where('project_id', '=', projectId)
  if (from !== null) query = query.where('day', '>=', from)
  if (to !== null) query = query.where('day', '<=', to)
  if (page.after !== null) query = query.where('tier', '>', page.after)
  const rows = await query
    .select(row => sumNames.map(name => row.fn.sum<number | null>(name).as(name)))
    .groupBy('tier')
    .orderBy('tier')
    .limit(page.limit)
    .execute()
  return rows.map(({ tier, ...sums }) => ({ tier, ...toNumbers(sums) }))
}

const allGroupColumns = { tenant: 'projects.tenant_id', day: 'usage_days.day', model: 'usage_days.model' } as const

/** For all projects: one sum per value of the grouping, ordered by value (days newest first). */
export async function listUsageOfAll(
  sql: Database,
  days: Pick<UsageFilter, 'from' | 'to'>,
  grouping: keyof typeof allGroupColumns,
  page: { after: string | null; limit: number },
) {
  const column = allGroupColumns[grouping]
  const isNewestFirst = grouping === 'day'
  let query = withinDays(sql, days)
    .select(`${column} as group`)
    .select(sumColumns)
    .groupBy(column)
    .orderBy(column, isNewestFirst ? 'desc' : 'asc')
    .limit(page.limit)
  if (page.after !== null) query = query.where(column, isNewestFirst ? '<' : '>', page.after)
  const rows = await query.execute()
  return rows.map(row => ({ group: row.group, ...toNumbers(row) }))
}

export async function sumUsageOfAll(sql: Database, days: Pick<UsageFilter, 'from' | 'to'>) {
  return toNumbers(await withinDays(sql, days).select(sumColumns).executeTakeFirstOrThrow())
}

function withinDays(sql: Database, { from, to }: Pick<UsageFilter, 'from' | 'to'>) {
  let query = sql.selectFrom('usage_days').innerJoin('projects', 'projects.id', 'usage_days.project_id')
  if (from !== null) query = query.where('usage_days.day', '>=', from)
  if (to !== null) query = query.where('usage_days.day', '<=', to)
  return query
}

/** The user ids of our own services begin with the first, and all sort before the second. */
const services = 'svc:'
const afterServices = 'svc;'

/** Returns the tokens spent on that day by each project and each of its end users, a page of projects at a time. */
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

/** Returns the tokens that a project's end users spent on that day. */
export async function findSpend(sql: Database, projectId: string, day: string): Promise<number> {
  const { tokens } = await sql
    .selectFrom('usage_days')
    .select(row => row.fn.sum<number | null>('total_tokens').as('tokens'))
    .where('project_id', '=', projectId)
    .where('day', '=', day)
    .where(isOfEndUser)
    .executeTakeFirstOrThrow()
  return Number(tokens ?? 0)
}

/** The dashboard's playground is left out: the tenant pays for it, and it counts towards no limit of the project. */
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

/** The sum of no rows is null. */
function toNumbers(row: Record<SumName, number | null>): Record<SumName, number> {
  const numbers = sumNames.map(name => [name, Number(row[name] ?? 0)])
  return Object.fromEntries(numbers) as Record<SumName, number>
}
