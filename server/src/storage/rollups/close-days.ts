// Closes days: writes what usage counts for each project and model, then marks the day as closed. Usage that is written
// after its own day was closed counts for the next day that closes, so that the sum of all rollups is the sum of all
// usage. A run that was cut short is completed by the next one.

import { type Kysely, type Transaction, sql as text } from 'kysely'
import { dayMs } from '../../domain/day.ts'
import { addBounded, sumOf } from '../bounded-sums.ts'
import type { Schema } from '../schema.ts'
import { transact } from '../transact.ts'

type Database = Kysely<Schema>

const sumNames = ['requests', 'prompt_tokens', 'completion_tokens', 'total_tokens', 'cost_nanousd'] as const
type Sums = Record<(typeof sumNames)[number], number>
const sumsOfNames = sumNames.map(name => sumOf(name).as(name))

/** Usage that is written later than this after its day counts for no rollup. */
const maxLateDays = 7

const dayAt = (millis: number) => new Date(millis).toISOString().slice(0, 10)
const daysAfter = (day: string, count: number) => dayAt(Date.parse(day) + count * dayMs)

/** The last closed day; null before the first. */
export async function findClosedThrough(sql: Pick<Database, 'selectFrom'>): Promise<string | null> {
  const last = await sql
    .selectFrom('usage_closings')
    .select('day')
    .where('closed_at', 'is not', null)
    .orderBy('day', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.day ?? null
}

/** The day after the last closed one, or the first day with usage; null if there is none. Days close in this order. */
export async function findNextDay(sql: Database): Promise<string | null> {
  const closed = await findClosedThrough(sql)
  if (closed !== null) return daysAfter(closed, 1)
  const first = await sql.selectFrom('usage_days').select('day').orderBy('day').limit(1).executeTakeFirst()
  return first?.day ?? null
}

/** From now on projects can be rolled up for the day. */
export async function beginDay(sql: Database, day: string): Promise<void> {
  await sql
    .insertInto('usage_closings')
    .values({ day, closed_at: null })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

/** Writes what the project's usage counts for the day. Returns false if the day is closed: then nothing changes. */
export async function rollUpProject(sql: Database, day: string, projectId: string): Promise<boolean> {
  // Most projects have nothing to write, and need no transaction.
  if ((await findUncounted(sql, day, projectId)).length === 0) return true
  return await transact(sql, async trx => {
    if (!(await holdOpenDay(trx, day))) return false
    const rows = await findUncounted(trx, day, projectId)
    if (rows.length > 0) await addPieces(trx, rows)
    return true
  })
}

/** The day never changes after this. */
export async function closeDay(sql: Database, day: string, closedAt: number): Promise<void> {
  await sql
    .updateTable('usage_closings')
    .set({ closed_at: closedAt })
    .where('day', '=', day)
    .where('closed_at', 'is', null)
    .execute()
}

/** Locks the day: two workers add nothing twice, and none adds to a day that another has closed. */
async function holdOpenDay(trx: Transaction<Schema>, day: string): Promise<boolean> {
  const open = await trx
    .updateTable('usage_closings')
    .set({ closed_at: null })
    .where('day', '=', day)
    .where('closed_at', 'is', null)
    .returning('day')
    .executeTakeFirst()
  return open !== undefined
}

type Piece = Schema['usage_rollups']

/** The usage of the day and of those before it that no rollup counts yet. */
async function findUncounted(sql: Pick<Database, 'selectFrom'>, day: string, projectId: string): Promise<Piece[]> {
  const first = daysAfter(day, -maxLateDays)
  const used = await sql
    .selectFrom('usage_days')
    .select(['day as usage_day', 'model'])
    .select(sumsOfNames)
    .where('project_id', '=', projectId)
    .where('day', '>=', first)
    .where('day', '<=', day)
    .groupBy(['day', 'model'])
    .execute()
  if (used.length === 0) return []
  const counted = await sql
    .selectFrom('usage_rollups')
    .select(['usage_day', 'model'])
    .select(sumsOfNames)
    .where('project_id', '=', projectId)
    .where('day', '>=', first)
    .where('usage_day', '>=', first)
    .groupBy(['usage_day', 'model'])
    .execute()
  const known = new Map(counted.map(row => [`${row.usage_day} ${row.model}`, row]))
  return used.flatMap(({ usage_day, model, ...sums }) => {
    const left = subtract(sums, known.get(`${usage_day} ${model}`))
    const isCounted = sumNames.every(name => left[name] === 0)
    return isCounted ? [] : [{ project_id: projectId, day, model, usage_day, ...left }]
  })
}

function subtract(sums: Sums, counted: Sums | undefined): Sums {
  const left = sumNames.map(name => {
    return [name, Math.min(Number(sums[name]) - Number(counted?.[name] ?? 0), Number.MAX_SAFE_INTEGER)]
  })
  return Object.fromEntries(left) as Sums
}

const key = ['project_id', 'day', 'model', 'usage_day'] as const

/** Adds to pieces of a run that was cut short, or of another worker's. */
async function addPieces(trx: Transaction<Schema>, rows: readonly Piece[]): Promise<void> {
  for (const row of rows) {
    await trx
      .insertInto('usage_rollups')
      .values(row)
      .onConflict(conflict =>
        conflict
          .columns(key)
          .doUpdateSet(
            Object.fromEntries(
              sumNames.map(name => [name, text.raw<number>(addBounded(`usage_rollups.${name}`, `excluded.${name}`))]),
            ),
          ),
      )
      .execute()
  }
}
