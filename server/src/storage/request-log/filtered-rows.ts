// The rows of one day that a filter leaves, newest first. What has an index narrows the rows that are read, and a
// bounded number of those is read: the other conditions apply to what was read.

import { type Kysely, type SelectQueryBuilder, sql as text } from 'kysely'
import { earliest, type RequestFilter } from '../../domain/requests/request-filter.ts'
import { dayOf, idsOf, type RequestDays, startIdOf } from './request-days.ts'
import type { RequestTables } from './request-tables.ts'

export type RequestRow = RequestTables['requests']
type RequestRows<O> = SelectQueryBuilder<RequestTables, 'requests', O>
type RequestSums<O> = SelectQueryBuilder<RequestTables, 'request_hours', O>

/** The ids that may be read of a day, the end exclusive. */
export interface DayRange {
  sql: Kysely<RequestTables>
  from: string
  to: string
}

/** The days of the filter that have storage, the newest first, up to the row with the id `before`. */
export async function rangesOf(days: RequestDays, filter: RequestFilter, before: string | null): Promise<DayRange[]> {
  const first = startIdOf(Math.max(filter.from, earliest(filter.kept)))
  const last = smaller(startIdOf(filter.to + 1), before ?? '~')
  const [firstOfQ, lastOfQ] = filter.q === null ? ['', '~'] : [filter.q, `${filter.q}~`]
  return (await days.list()).flatMap(day => {
    const [start, end] = idsOf(day)
    const from = [start, first, firstOfQ].reduce(larger)
    const to = [end, last, lastOfQ].reduce(smaller)
    return from < to ? [{ sql: days.of(day), from, to }] : []
  })
}

/** The same for sums: PostgreSQL reads those of all days at once. */
export async function summedRanges(days: RequestDays, filter: RequestFilter): Promise<DayRange[]> {
  const ranges = await rangesOf(days, filter, null)
  const [newest, oldest] = [ranges[0], ranges.at(-1)]
  if (days.dialect === 'sqlite' || newest === undefined || oldest === undefined) return ranges
  return [{ sql: newest.sql, from: oldest.from, to: newest.to }]
}

export async function findRange(days: RequestDays, at: number): Promise<DayRange | null> {
  const day = dayOf(at)
  if (!(await days.list()).includes(day)) return null
  const [from, to] = idsOf(day)
  return { sql: days.of(day), from, to }
}

const smaller = (a: string, b: string) => (a < b ? a : b)
const larger = (a: string, b: string) => (a > b ? a : b)

/** At most `limit` rows, by what has an index. */
function readRows({ sql, from, to }: DayRange, filter: RequestFilter, limit: number) {
  const { projectId, uid, thread, agentSession, error } = filter
  let rows = sql
    .selectFrom('requests')
    .where('project_id', '=', projectId)
    .where('id', '>=', from)
    .where('id', '<', to)
    .orderBy('id', 'desc')
    .limit(limit)
  if (uid !== null) rows = rows.where('uid', '=', uid)
  if (thread !== null) rows = rows.where('thread_id', '=', thread)
  if (agentSession !== null) rows = rows.where('agent_session_id', '=', agentSession)
  if (error !== null && error !== 'any') rows = rows.where('error_code', '=', error)
  return rows
}

/** How many rows would be read, and the id of the last one. */
export async function measureRead(
  range: DayRange,
  filter: RequestFilter,
  limit: number,
): Promise<{ count: number; last: string | null }> {
  const read = readRows(range, filter, limit).select('id').as('requests')
  return await range.sql
    .selectFrom(read)
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min<string | null>('id').as('last')])
    .executeTakeFirstOrThrow()
}

/** Whether conditions are left that have no index. */
export function hasMoreConditions(filter: RequestFilter): boolean {
  const { model, provider, status, error, endpoint, prompt, guardrail, feedback, tier, agent } = filter
  const { minLatencyMs, minCostNanoUsd } = filter
  const names = [model, provider, endpoint, prompt, guardrail, feedback, tier, agent]
  const conditions = [...names, status, minLatencyMs, minCostNanoUsd]
  return error === 'any' || filter.kept.tiers.length > 0 || conditions.some(condition => condition !== null)
}

/** Whether the sums by hour have all that the filter asks for. */
export function isSummed({
  uid,
  thread,
  agentSession,
  agent,
  q,
  guardrail,
  feedback,
  minLatencyMs,
  minCostNanoUsd,
}: RequestFilter): boolean {
  const conditions = [uid, thread, agentSession, agent, q, guardrail, feedback, minLatencyMs, minCostNanoUsd]
  return conditions.every(condition => condition === null)
}

/** The sums of the hours that begin in the range. */
export function matchingSums({ sql, from, to }: DayRange, filter: RequestFilter): RequestSums<object> {
  const { projectId, error, kept } = filter
  const ofProject = sql.selectFrom('request_hours').where('project_id', '=', projectId)
  // They have the columns that these conditions are about.
  let sums = withNames(ofProject.where('id', '>=', from).where('id', '<', to) as unknown as RequestRows<object>, filter)
  if (error !== null && error !== 'any') sums = sums.where('error_code', '=', error)
  if (kept.tiers.length > 0) sums = sums.where(isKept(kept))
  return sums as unknown as RequestSums<object>
}

/** The rows among those that are read. */
export function matchingRows(range: DayRange, filter: RequestFilter, limit: number): RequestRows<object> {
  const read = readRows(range, filter, limit).selectAll().as('requests')
  // The alias has the columns of the table.
  const rows = range.sql.selectFrom(read) as unknown as RequestRows<object>
  return withRest(withNames(rows, filter), filter)
}

function withNames(given: RequestRows<object>, filter: RequestFilter): RequestRows<object> {
  const { model, provider, endpoint, prompt, tier, guardrail, error, status } = filter
  let rows = given
  if (model !== null) {
    rows = rows.where(row => row.or([row('model', '=', model), row('model_asked', '=', model)]))
  }
  if (provider !== null) rows = rows.where('provider', '=', provider)
  if (endpoint !== null) rows = rows.where('endpoint', '=', endpoint)
  if (prompt !== null) rows = rows.where('prompt', '=', prompt)
  if (tier !== null) rows = rows.where('tier', '=', tier)
  // One of a few words that need no escape.
  if (guardrail !== null) rows = rows.where('guardrails', 'like', `%"${guardrail}"%`)
  // Also where '' stands for null.
  if (error === 'any') rows = rows.where('error_code', '<>', '')
  if (status !== null && 'exactly' in status) rows = rows.where('status', '=', status.exactly)
  if (status !== null && 'hundreds' in status) {
    rows = rows.where('status', '>=', status.hundreds * 100).where('status', '<', (status.hundreds + 1) * 100)
  }
  return rows
}

function withRest(given: RequestRows<object>, filter: RequestFilter): RequestRows<object> {
  const { agent, feedback, minLatencyMs, minCostNanoUsd, kept } = filter
  let rows = given
  if (agent !== null) rows = rows.where('agent_id', '=', agent)
  if (feedback === 'any') rows = rows.where('feedback_score', 'is not', null)
  if (feedback === 'positive') rows = rows.where('feedback_score', '>', 0)
  if (feedback === 'negative') rows = rows.where('feedback_score', '<', 0)
  if (minLatencyMs !== null) rows = rows.where('latency_ms', '>=', minLatencyMs)
  if (minCostNanoUsd !== null) rows = rows.where('cost_nanousd', '>=', minCostNanoUsd)
  if (kept.tiers.length > 0) rows = rows.where(isKept(kept))
  return rows
}

function isKept({ others, tiers }: RequestFilter['kept']) {
  const cases = tiers.map(({ name, since }) => text`when ${name} then ${startIdOf(since)}`)
  return text<boolean>`id >= (case coalesce(tier, '') ${text.join(cases, text` `)} else ${startIdOf(others)} end)`
}
