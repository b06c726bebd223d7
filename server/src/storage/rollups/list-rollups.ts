// Lists the rollups of a project by day and model, the oldest day first: closed days as they were closed, then open
// ones as they are now.

import type { Kysely } from 'kysely'
import { sumOf } from '../bounded-sums.ts'
import type { Schema } from '../schema.ts'
import { findClosedThrough } from './close-days.ts'

type Database = Pick<Kysely<Schema>, 'selectFrom'>

interface RollupFilter {
  projectId: string
  /** Days of UTC, inclusive; null means no bound. */
  from: string | null
  to: string | null
}

interface RollupPage {
  after: [day: string, model: string] | null
  limit: number
}

const sumNames = ['requests', 'prompt_tokens', 'completion_tokens', 'total_tokens', 'cost_nanousd'] as const
const sums = sumNames.map(name => sumOf(name).as(name))

export interface UsageRollup extends Record<(typeof sumNames)[number], number> {
  day: string
  model: string
  closed_at: number | null
}

export async function listRollups(sql: Database, filter: RollupFilter, page: RollupPage): Promise<UsageRollup[]> {
  const closedThrough = await findClosedThrough(sql)
  const closed = closedThrough === null ? [] : await listClosed(sql, filter, page, closedThrough)
  const limit = page.limit - closed.length
  const open = limit === 0 ? [] : await listOpen(sql, filter, { ...page, limit }, closedThrough ?? '')
  return [...closed, ...open].map(row => ({
    ...row,
    ...(Object.fromEntries(sumNames.map(name => [name, Number(row[name])])) as Record<
      (typeof sumNames)[number],
      number
    >),
  }))
}

async function listClosed(
  sql: Database,
  { projectId, from, to }: RollupFilter,
  { after, limit }: RollupPage,
  closedThrough: string,
) {
  let rows = sql
    .selectFrom('usage_rollups')
    .innerJoin('usage_closings', 'usage_closings.day', 'usage_rollups.day')
    .where('project_id', '=', projectId)
    .where('usage_rollups.day', '<=', closedThrough)
  if (from !== null) rows = rows.where('usage_rollups.day', '>=', from)
  if (to !== null) rows = rows.where('usage_rollups.day', '<=', to)
  if (after !== null) {
    rows = rows.where(row => row(row.refTuple('usage_rollups.day', 'model'), '>', row.tuple(...after)))
  }
  return await rows
    .select(['usage_rollups.day', 'model', 'closed_at'])
    .select(sums)
    .groupBy(['usage_rollups.day', 'model', 'closed_at'])
    .orderBy('usage_rollups.day')
    .orderBy('model')
    .limit(limit)
    .execute()
}

async function listOpen(
  sql: Database,
  { projectId, from, to }: RollupFilter,
  { after, limit }: RollupPage,
  closedThrough: string,
) {
  let rows = sql.selectFrom('usage_days').where('project_id', '=', projectId).where('day', '>', closedThrough)
  if (from !== null) rows = rows.where('day', '>=', from)
  if (to !== null) rows = rows.where('day', '<=', to)
  if (after !== null) rows = rows.where(row => row(row.refTuple('day', 'model'), '>', row.tuple(...after)))
  const found = await rows
    .select(['day', 'model'])
    .select(sums)
    .groupBy(['day', 'model'])
    .orderBy('day')
    .orderBy('model')
    .limit(limit)
    .execute()
  return found.map(row => ({ ...row, closed_at: null }))
}
