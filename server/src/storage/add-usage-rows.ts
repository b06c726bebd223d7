// Adds each usage row once, with its sums and the times when end users were seen.
// Statements have a few fixed lengths, so that each is prepared once and thousands of rows stay cheap.

import { CompiledQuery, type Insertable, type Kysely, type RawBuilder, type Transaction, sql as text } from 'kysely'
import { endpoints } from '../domain/conversation/operations.ts'
import { isJsonObject, parseJson } from '../domain/json-object.ts'
import { isAddedLate } from './late-index/late-index.ts'
import type { Schema } from './schema.ts'
import { executeTogether, transact } from './transact.ts'

export type UsageRow = Insertable<Schema['usage_records']>
type EntryRow = Schema['usage_records_by_project']
type DayRow = Schema['usage_days']
type TierRow = Schema['usage_tiers']
type EndpointRow = Schema['usage_endpoints']
type UserRow = Insertable<Schema['end_users']>

const recordColumns = [
  'request_id',
  'tenant_id',
  'project_id',
  'user_id',
  'tier',
  'day',
  'model',
  'provider',
  'endpoint',
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'cost_nanousd',
  'is_estimated',
  'created_at',
  'budget_day',
] as const satisfies readonly (keyof UsageRow)[]

const sumNames = ['requests', 'prompt_tokens', 'completion_tokens', 'total_tokens', 'cost_nanousd'] as const
type SumName = (typeof sumNames)[number]
type Sums = Record<SumName, number>

export const dayKey = ['project_id', 'day', 'user_id', 'model'] as const
const dayColumns = [...dayKey, ...sumNames] as const satisfies readonly (keyof DayRow)[]

const tierKey = ['project_id', 'day', 'tier'] as const
const tierColumns = [...tierKey, ...sumNames] as const satisfies readonly (keyof TierRow)[]

export const endpointKey = [...dayKey, 'endpoint'] as const
const endpointColumns = [...endpointKey, ...sumNames] as const satisfies readonly (keyof EndpointRow)[]

const entryColumns = ['project_id', 'request_id'] as const satisfies readonly (keyof UsageRow)[]

const userKey = ['project_id', 'user_id'] as const
const userColumns = [...userKey, 'first_seen_at', 'last_seen_at'] as const satisfies readonly (keyof UserRow)[]

/** The numbers of rows a statement may have. */
const lengths = [64, 16, 4, 1]

/** Adds all rows or none. Skips rows that the database already has, and duplicates in the batch. */
export async function addUsageRows({ sql, now }: UsageTarget, rows: readonly UsageRow[]): Promise<void> {
  if (rows.length === 0) return
  const time = now()
  const late = rows.filter(row => isAddedLate(row, time))
  try {
    await transact(sql, trx => addNew(trx, statementsOf(sql), rows, late))
  } catch (error) {
    if (!(error instanceof NotAllNew)) throw error
    await transact(sql, trx => addUnknown(trx, statementsOf(sql), rows, late))
  }
}

export interface UsageTarget {
  sql: Kysely<Schema>
  now: () => number
}

class NotAllNew extends Error {}

/** The common case: no row exists, so the added rows need not be returned. */
async function addNew(
  trx: Transaction<Schema>,
  statements: Statements,
  rows: readonly UsageRow[],
  late: readonly UsageRow[],
): Promise<void> {
  const records = inGroups(rows).map(group => statements.records(trx, group))
  const entries = inGroups(late).map(group => statements.entries(trx, group))
  const results = await executeTogether(trx, [...records, ...listSums(trx, statements, rows), ...entries])
  const added = results.slice(0, records.length).reduce((sum, { numAffectedRows = 0n }) => sum + numAffectedRows, 0n)
  if (added !== BigInt(rows.length)) throw new NotAllNew()
}

async function addUnknown(
  trx: Transaction<Schema>,
  statements: Statements,
  given: readonly UsageRow[],
  late: readonly UsageRow[],
): Promise<void> {
  const rows = [...new Map(given.map(row => [row.request_id, row])).values()]
  const records = inGroups(rows).map(group => statements.unknownRecords(trx, group))
  const added = await executeTogether(trx, records)
  const ids = new Set(
    added.flatMap(result => (result.rows as Pick<UsageRow, 'request_id'>[]).map(row => row.request_id)),
  )
  const newRows = rows.filter(row => ids.has(row.request_id))
  const entries = inGroups(late.filter(row => newRows.includes(row))).map(group => statements.entries(trx, group))
  await executeTogether(trx, [...listSums(trx, statements, newRows), ...entries])
}

/** The statements that add the sums. The rows of a group have distinct keys: no statement may write one row twice. */
function listSums(trx: Transaction<Schema>, statements: Statements, rows: readonly UsageRow[]): CompiledQuery[] {
  const others = rows.filter(({ endpoint }) => endpoint !== endpoints.chat_completions.name)
  return [
    ...inGroups(sumRows(rows, dayKeyOf)).map(group => statements.days(trx, group)),
    ...inGroups(sumRows(rows, tierKeyOf)).map(group => statements.tiers(trx, group)),
    ...inGroups(sumRows(others, endpointKeyOf)).map(group => statements.endpoints(trx, group)),
    ...inGroups(listSeen(rows)).map(group => statements.users(trx, group)),
  ]
}

/** Parses a row from JSON text; null if it is invalid. Rows that an older version shelved are chat completions. */
export function parseUsageRow(text: string): UsageRow | null {
  const row = parseJson(text)
  const isWhole = isJsonObject(row) && typeof row['request_id'] === 'string' && typeof row['created_at'] === 'number'
  return isWhole ? ({ endpoint: 'chat_completions', ...row } as unknown as UsageRow) : null
}

function inGroups<Row>(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = []
  let at = 0
  for (const length of lengths) {
    for (; at + length <= rows.length; at += length) groups.push(rows.slice(at, at + length))
  }
  return groups
}

const dayKeyOf = ({ project_id, day, user_id, model }: UsageRow) => ({ project_id, day, user_id, model })
const tierKeyOf = ({ project_id, day, tier }: UsageRow) => ({ project_id, day, tier: tier ?? '' })
const endpointKeyOf = (row: UsageRow) => ({ ...dayKeyOf(row), endpoint: row.endpoint })

/** In a fixed order, so that batches of several replicas wait for each other and do not deadlock. */
function sumRows<Key extends object>(rows: readonly UsageRow[], keyOf: (row: UsageRow) => Key): (Key & Sums)[] {
  const sums = new Map<string, Key & Sums>()
  for (const row of rows) {
    const key = keyOf(row)
    // No text in the database contains a NUL.
    const name = Object.values(key).join('\0')
    let sum = sums.get(name)
    if (sum === undefined) {
      sum = { ...key, requests: 0, prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost_nanousd: 0 }
      sums.set(name, sum)
    }
    sum.requests += 1
    sum.prompt_tokens += row.prompt_tokens
    sum.completion_tokens += row.completion_tokens
    sum.total_tokens += row.total_tokens
    sum.cost_nanousd += row.cost_nanousd
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
}

/** The end users of the rows, also in a fixed order. */
function listSeen(rows: readonly UsageRow[]): UserRow[] {
  const seen = new Map<string, UserRow>()
  for (const { project_id, user_id, created_at } of rows) {
    if (user_id.startsWith('svc:')) continue
    const name = `${project_id}\0${user_id}`
    const known = seen.get(name)
    seen.set(name, {
      project_id,
      user_id,
      first_seen_at: Math.min(known?.first_seen_at ?? created_at, created_at),
      last_seen_at: Math.max(known?.last_seen_at ?? created_at, created_at),
    })
  }
  return [...seen].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, user]) => user)
}

interface Statements {
  records(trx: Transaction<Schema>, rows: readonly UsageRow[]): CompiledQuery
  /** Returns the rows that did not exist. */
  unknownRecords(trx: Transaction<Schema>, rows: readonly UsageRow[]): CompiledQuery
  entries(trx: Transaction<Schema>, rows: readonly EntryRow[]): CompiledQuery
  days(trx: Transaction<Schema>, rows: readonly DayRow[]): CompiledQuery
  tiers(trx: Transaction<Schema>, rows: readonly TierRow[]): CompiledQuery
  endpoints(trx: Transaction<Schema>, rows: readonly EndpointRow[]): CompiledQuery
  users(trx: Transaction<Schema>, rows: readonly UserRow[]): CompiledQuery
}

/** Each database has its own syntax for parameters. */
const known = new WeakMap<Kysely<Schema>, Statements>()

function statementsOf(sql: Kysely<Schema>): Statements {
  const statements = known.get(sql) ?? {
    records: cacheTexts(recordColumns, insertRecords),
    unknownRecords: cacheTexts(recordColumns, (trx, rows: readonly UsageRow[]) =>
      insertRecords(trx, rows).returning('request_id'),
    ),
    entries: cacheTexts(entryColumns, insertEntries),
    days: cacheTexts(dayColumns, insertDays),
    tiers: cacheTexts(tierColumns, insertTiers),
    endpoints: cacheTexts(endpointColumns, insertEndpoints),
    users: cacheTexts(userColumns, insertUsers),
  }
  known.set(sql, statements)
  return statements
}

function cacheTexts<Row extends object>(
  columns: readonly (keyof Row)[],
  insert: (trx: Transaction<Schema>, rows: readonly Row[]) => { compile(): CompiledQuery },
) {
  const texts = new Map<number, string>()
  return (trx: Transaction<Schema>, rows: readonly Row[]): CompiledQuery => {
    let text = texts.get(rows.length)
    if (text === undefined) {
      text = insert(
        trx,
        rows.map(row => inOrder(row, columns)),
      ).compile().sql
      texts.set(rows.length, text)
    }
    const parameters: unknown[] = []
    for (const row of rows) for (const column of columns) parameters.push(row[column] ?? null)
    return CompiledQuery.raw(text, parameters)
  }
}

/** Every row takes the column order of the first. Rows that an older version shelved lack the newer columns. */
function inOrder<Row extends object>(row: Row, columns: readonly (keyof Row)[]): Row {
  return Object.fromEntries(columns.map(column => [column, row[column] ?? null])) as Row
}

function insertRecords(trx: Transaction<Schema>, rows: readonly UsageRow[]) {
  return trx
    .insertInto('usage_records')
    .values(rows)
    .onConflict(conflict => conflict.column('request_id').doNothing())
}

function insertEntries(trx: Transaction<Schema>, rows: readonly EntryRow[]) {
  return trx
    .insertInto('usage_records_by_project')
    .values(rows)
    .onConflict(conflict => conflict.columns(entryColumns).doNothing())
}

function insertDays(trx: Transaction<Schema>, rows: readonly DayRow[]) {
  return trx
    .insertInto('usage_days')
    .values(rows)
    .onConflict(conflict => conflict.columns(dayKey).doUpdateSet(addedTo('usage_days')))
}

function insertTiers(trx: Transaction<Schema>, rows: readonly TierRow[]) {
  return trx
    .insertInto('usage_tiers')
    .values(rows)
    .onConflict(conflict => conflict.columns(tierKey).doUpdateSet(addedTo('usage_tiers')))
}

function insertEndpoints(trx: Transaction<Schema>, rows: readonly EndpointRow[]) {
  return trx
    .insertInto('usage_endpoints')
    .values(rows)
    .onConflict(conflict => conflict.columns(endpointKey).doUpdateSet(addedTo('usage_endpoints')))
}

/** For an upsert: the sums of the row that exists, with those of the new one. */
export function addedTo(table: 'usage_days' | 'usage_tiers' | 'usage_endpoints') {
  const sum = (name: string) => text<number>`${text.ref(`${table}.${name}`)} + ${text.ref(`excluded.${name}`)}`
  return Object.fromEntries(sumNames.map(name => [name, sum(name)])) as Record<SumName, RawBuilder<number>>
}

/** Usage rows may arrive late, and a restricted user may have been listed before being seen. */
function insertUsers(trx: Transaction<Schema>, rows: readonly UserRow[]) {
  return trx
    .insertInto('end_users')
    .values(rows)
    .onConflict(conflict =>
      conflict.columns(userKey).doUpdateSet({
        first_seen_at: text<number>`case when end_users.first_seen_at < excluded.first_seen_at
          then end_users.first_seen_at else excluded.first_seen_at end`,
        last_seen_at: text<number>`case when end_users.last_seen_at > excluded.last_seen_at
          then end_users.last_seen_at else excluded.last_seen_at end`,
      }),
    )
}
