// Queries usage: sums by page, and a day's spending. `add-usage-rows.ts` writes the rows.

import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type SelectQueryBuilder,
  type SqlBool,
  type Transaction,
  sql as text,
} from 'kysely'
import type { EndpointName } from '../domain/conversation/operations.ts'
import { sumOf } from './bounded-sums.ts'
import type { Schema } from './schema.ts'

type Database = Pick<Kysely<Schema> | Transaction<Schema>, 'selectFrom'>

/** Days of UTC, inclusive; null means no bound. */
interface Days {
  from: string | null
  to: string | null
}

export interface UsageFilter extends Days {
  projectId: string
  /** Null for all users. */
  userId: string | null
}

export type UsageGrouping = 'day' | 'model' | 'uid' | 'endpoint'

export interface UsageSum {
  day: string | null
  model: string | null
  user_id: string | null
  endpoint: string | null
  requests: number
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  cost_nanousd: number
}

const nothing = { day: null, model: null, user_id: null, endpoint: null }

const groupColumns = { day: 'day', model: 'model', uid: 'user_id' } as const

/** One sum per value of the grouping, ordered by value (days newest first), after `after`. */
export async function listUsage(
  sql: Database,
  filter: UsageFilter,
  grouping: UsageGrouping,
  page: { after: string | null; limit: number },
): Promise<UsageSum[]> {
  if (grouping === 'endpoint') {
    const all = narrowed(sql.selectFrom('usage_days'), filter)
    const parts = narrowed(sql.selectFrom('usage_endpoints'), filter)
    return pageOf(await sumByEndpoint(all, parts), page).map(row => ({ ...nothing, ...row }))
  }
  const column = groupColumns[grouping]
  const isNewestFirst = grouping === 'day'
  let query = narrowed(sql.selectFrom('usage_days'), filter)
    .select(column)
    .select(sums)
    .groupBy(column)
    .orderBy(column, isNewestFirst ? 'desc' : 'asc')
    .limit(page.limit)
  if (page.after !== null) query = query.where(column, isNewestFirst ? '<' : '>', page.after)
  const rows = await query.execute()
  return rows.map(row => ({ ...nothing, ...toNumbers(row), [column]: row[column] }))
}

export async function sumUsage(sql: Database, filter: UsageFilter): Promise<UsageSum> {
  const row = await narrowed(sql.selectFrom('usage_days'), filter).select(sums).executeTakeFirstOrThrow()
  return { ...nothing, ...toNumbers(row) }
}

type DayKey = Pick<Schema['usage_days'], 'day' | 'user_id' | 'model'>
type DaySum = DayKey & Sums & { endpoint: EndpointName }

/** The sums by day, user, model and endpoint, after `after`; `next` is null on the last page. */
export async function listUsageDays(
  sql: Database,
  filter: UsageFilter,
  { after, limit }: { after: DayKey | null; limit: number },
): Promise<{ rows: DaySum[]; next: DayKey | null }> {
  const key = ['day', 'user_id', 'model'] as const
  let all = narrowed(sql.selectFrom('usage_days'), filter).select([...key, endpointOfAll])
  let parts = narrowed(sql.selectFrom('usage_endpoints'), filter).select([...key, 'endpoint'])
  if (after !== null) {
    const { day, user_id, model } = after
    const isAfter = text<SqlBool>`(day, user_id, model) > (${day}, ${user_id}, ${model})`
    all = all.where(isAfter)
    parts = parts.where(isAfter)
  }
  let query = all.select(sumNames).unionAll(parts.select(sumNames))
  for (const column of [...key, 'endpoint'] as const) query = query.orderBy(column)
  const read = await query.limit(limit).execute()
  const rows = read.map(row => ({ ...row, ...toNumbers(row) }))
  const days = [...Map.groupBy(rows, row => JSON.stringify(key.map(column => row[column]))).values()]
  // The limit may have cut the last one.
  if (rows.length === limit) days.pop()
  const next = rows.length === limit ? (days.at(-1)?.[0] ?? null) : null
  return { rows: days.flatMap(splitByEndpoint), next }
}

/** The sums of a project by tier, '' for none, ordered by its name after `after`. */
export async function listUsageByTier(
  sql: Database,
  { projectId, from, to }: Omit<UsageFilter, 'userId'>,
  page: { after: string | null; limit: number },
) {
  let query = withinDays(sql.selectFrom('usage_tiers'), { from, to }).select('tier').where('project_id', '=', projectId)
  if (page.after !== null) query = query.where('tier', '>', page.after)
  const rows = await query.select(sums).groupBy('tier').orderBy('tier').limit(page.limit).execute()
  return rows.map(row => ({ tier: row.tier, ...toNumbers(row) }))
}

const allGroupColumns = { tenant: 'projects.tenant_id', day: 'usage_days.day', model: 'usage_days.model' } as const

/** For all projects: one sum per value of the grouping, ordered by value (days newest first). */
export async function listUsageOfAll(
  sql: Database,
  days: Days,
  grouping: keyof typeof allGroupColumns | 'endpoint',
  page: { after: string | null; limit: number },
): Promise<({ group: string } & Sums)[]> {
  if (grouping === 'endpoint') {
    const all = withinDays(sql.selectFrom('usage_days'), days).where(isOfProject)
    const parts = withinDays(sql.selectFrom('usage_endpoints'), days).where(isOfProject)
    return pageOf(await sumByEndpoint(all, parts), page).map(({ endpoint, ...row }) => ({ group: endpoint, ...row }))
  }
  const column = allGroupColumns[grouping]
  const isNewestFirst = grouping === 'day'
  let query = withProjects(sql, days)
    .select(`${column} as group`)
    .select(sums)
    .groupBy(column)
    .orderBy(column, isNewestFirst ? 'desc' : 'asc')
    .limit(page.limit)
  if (page.after !== null) query = query.where(column, isNewestFirst ? '<' : '>', page.after)
  const rows = await query.execute()
  return rows.map(row => ({ group: row.group, ...toNumbers(row) }))
}

export interface FreeUsage {
  group: string
  tenant_id: string
  model: string
}

export interface FreeUsageFilter {
  days: Days
  grouping: keyof typeof allGroupColumns
  /** The values of the grouping. */
  groups: readonly string[]
}

/** The tenants and models of these groups whose tokens cost nothing on some day. */
export async function listFreeUsage(sql: Database, { days, grouping, groups }: FreeUsageFilter): Promise<FreeUsage[]> {
  const column = allGroupColumns[grouping]
  return await withProjects(sql, days)
    .select([`${column} as group`, 'projects.tenant_id', 'usage_days.model'])
    .distinct()
    .where(column, 'in', groups)
    .where('usage_days.cost_nanousd', '=', 0)
    .where('usage_days.total_tokens', '>', 0)
    .execute()
}

export async function sumUsageOfAll(sql: Database, days: Days): Promise<Sums> {
  return toNumbers(await withProjects(sql, days).select(sums).executeTakeFirstOrThrow())
}

function withProjects(sql: Database, days: Days) {
  return withinDays(sql.selectFrom('usage_days').innerJoin('projects', 'projects.id', 'usage_days.project_id'), days)
}

/** As the other groupings of all projects, which join them. */
const isOfProject = text<SqlBool>`project_id in (select id from projects)`

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
    .select(sumOf('total_tokens').as('tokens'))
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
    .select(sumOf<number | null>('total_tokens').as('tokens'))
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

interface Narrowable<Query> {
  where(condition: Expression<SqlBool>): Query
}

function narrowed<Query extends Narrowable<Query>>(query: Query, { projectId, userId, ...days }: UsageFilter): Query {
  const ofProject = query.where(text<SqlBool>`project_id = ${projectId}`)
  return withinDays(userId === null ? ofProject : ofProject.where(text<SqlBool>`user_id = ${userId}`), days)
}

function withinDays<Query extends Narrowable<Query>>(query: Query, { from, to }: Days): Query {
  const since = from === null ? query : query.where(text<SqlBool>`day >= ${from}`)
  return to === null ? since : since.where(text<SqlBool>`day <= ${to}`)
}

/** Marks the sums of all endpoints, beside those of single ones; sorts before all of these. */
const endpointOfAll = text<EndpointName | ''>`''`.as('endpoint')

type DayQuery<Table extends 'usage_days' | 'usage_endpoints'> = SelectQueryBuilder<Schema, Table, object>

/** In one statement, so that a row that is added meanwhile is in both sums or in none. */
async function sumByEndpoint(all: DayQuery<'usage_days'>, parts: DayQuery<'usage_endpoints'>) {
  const read = await all
    .select(endpointOfAll)
    .select(sums)
    .unionAll(parts.select('endpoint').select(sums).groupBy('endpoint'))
    .execute()
  const split = splitByEndpoint(read.map(row => ({ endpoint: row.endpoint, ...toNumbers(row) })))
  return split.sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1))
}

/** All sums of one thing, and its parts by endpoint: what is in no part is of chat completions. */
function splitByEndpoint<Row extends Sums & { endpoint: EndpointName | '' }>(rows: readonly Row[]) {
  const parts = rows.flatMap(({ endpoint, ...row }) => (endpoint === '' ? [] : [{ ...row, endpoint }]))
  const all = rows.find(({ endpoint }) => endpoint === '')
  if (all === undefined) return parts
  const rest = { ...all, endpoint: 'chat_completions' as const }
  for (const part of parts) for (const name of sumNames) rest[name] -= part[name]
  return rest.requests > 0 ? [rest, ...parts] : parts
}

function pageOf<Row extends { endpoint: string }>(
  rows: readonly Row[],
  { after, limit }: { after: string | null; limit: number },
): Row[] {
  return rows.filter(({ endpoint }) => after === null || endpoint > after).slice(0, limit)
}

const sumNames = ['requests', 'prompt_tokens', 'completion_tokens', 'total_tokens', 'cost_nanousd'] as const
type SumName = (typeof sumNames)[number]
type Sums = Record<SumName, number>

const sums = sumNames.map(name => sumOf<number | null>(name).as(name))

/** The sum of no rows is null. */
function toNumbers(row: Record<SumName, number | null>): Sums {
  const numbers = sumNames.map(name => [name, Number(row[name] ?? 0)])
  return Object.fromEntries(numbers) as Sums
}
