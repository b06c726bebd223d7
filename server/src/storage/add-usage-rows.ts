// Adds each usage row once, with its sums and the times when end users were seen.
// Statements have a few fixed lengths, so that each is prepared once and thousands of rows stay cheap.

import { CompiledQuery, type Insertable, type Kysely, type RawBuilder, type Transaction, sql as text } from 'kysely'
import { endpoints } from '../domain/conversation/operations.ts'
import { isJsonObject, parseJson } from '../domain/json-object.ts'
import { addBounded } from './bounded-sums.ts'
import { isAddedLate } from './late-index/late-index.ts'
import { insertEventsOf } from './meters/add-events.ts'
import type { Schema } from './schema.ts'
import { executeTogether, transact } from './transact.ts'

export type UsageRow = Insertable<Schema['usage_records']>
type EntryRow = Schema['usage_records_by_project']

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
  'platform_day',
  'platform_nanousd',
] as const satisfies readonly (keyof UsageRow)[]

const sumNames = ['requests', 'prompt_tokens', 'completion_tokens', 'total_tokens', 'cost_nanousd'] as const
type SumName = (typeof sumNames)[number]

export const dayKey = ['project_id', 'day', 'user_id', 'model'] as const
const tierKey = ['project_id', 'day', 'tier'] as const
export const endpointKey = [...dayKey, 'endpoint'] as const
const userKey = ['project_id', 'user_id'] as const
const entryColumns = ['project_id', 'request_id'] as const satisfies readonly (keyof UsageRow)[]

/** The numbers of rows that a statement may add, and those that a statement may sum. */
const lengths = [64, 16, 4, 1]
const maxSummed = 512
const summedLengths = [1, 4, 16, 64, maxSummed]

/** Its sums are those of all endpoints without those of the others. */
const ordinary = endpoints.chat_completions.name

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
  const others = [...listSums(trx, statements, rows), ...listLate(trx, statements, late)]
  const results = await executeTogether(trx, [...records, ...others])
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
  const newLate = late.filter(row => newRows.includes(row))
  await executeTogether(trx, [...listSums(trx, statements, newRows), ...listLate(trx, statements, newLate)])
}

/** For rows that are written late: what jobs make of the others, entries and events of meters. */
function listLate(trx: Transaction<Schema>, statements: Statements, late: readonly UsageRow[]): CompiledQuery[] {
  return [
    ...inGroups(late).map(group => statements.entries(trx, group)),
    ...inSummedGroups(late.map(row => row.request_id)).map(ids => statements.meterEvents(trx, ids)),
  ]
}

/**
 * The statements that add the sums: the database takes them from the added rows. Each writes its rows in the order of
 * their keys, so that batches of several replicas wait for each other and do not deadlock.
 */
function listSums(trx: Transaction<Schema>, statements: Statements, rows: readonly UsageRow[]): CompiledQuery[] {
  const others = rows.filter(({ endpoint }) => endpoint !== ordinary)
  const ofPlatform = rows.filter(row => typeof row.platform_day === 'string')
  const [all, ofOthers, paid] = [rows, others, ofPlatform].map(some => inSummedGroups(some.map(row => row.request_id)))
  const add = (name: 'days' | 'tiers' | 'endpoints' | 'platform' | 'users', groups: readonly string[][] = []) =>
    groups.map(ids => statements[name](trx, ids))
  return [
    ...add('days', all),
    ...add('tiers', all),
    ...add('endpoints', ofOthers),
    ...add('platform', paid),
    ...add('users', all),
  ]
}

/** The first id is repeated up to the next length. */
function inSummedGroups(ids: readonly string[]): string[][] {
  const groups: string[][] = []
  for (let at = 0; at < ids.length; ) {
    const length = summedLengths.find(each => each >= ids.length - at) ?? maxSummed
    const group = ids.slice(at, at + length)
    groups.push([...group, ...Array.from({ length: length - group.length }, () => group[0] ?? '')])
    at += length
  }
  return groups
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

interface Statements {
  records(trx: Transaction<Schema>, rows: readonly UsageRow[]): CompiledQuery
  /** Returns the rows that did not exist. */
  unknownRecords(trx: Transaction<Schema>, rows: readonly UsageRow[]): CompiledQuery
  entries(trx: Transaction<Schema>, rows: readonly EntryRow[]): CompiledQuery
  meterEvents(trx: Transaction<Schema>, ids: readonly string[]): CompiledQuery
  days(trx: Transaction<Schema>, ids: readonly string[]): CompiledQuery
  tiers(trx: Transaction<Schema>, ids: readonly string[]): CompiledQuery
  endpoints(trx: Transaction<Schema>, ids: readonly string[]): CompiledQuery
  platform(trx: Transaction<Schema>, ids: readonly string[]): CompiledQuery
  users(trx: Transaction<Schema>, ids: readonly string[]): CompiledQuery
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
    meterEvents: cacheSums(insertEventsOf),
    days: cacheSums(ids => addSums('usage_days', dayKey, text`1 = 1`, ids)),
    tiers: cacheSums(ids => addSums('usage_tiers', tierKey, text`1 = 1`, ids)),
    endpoints: cacheSums(ids => addSums('usage_endpoints', endpointKey, text`endpoint <> ${text.lit(ordinary)}`, ids)),
    platform: cacheSums(addPlatformSums),
    users: cacheSums(addUsers),
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

function cacheSums(add: (ids: readonly string[]) => RawBuilder<unknown>) {
  const texts = new Map<number, string>()
  return (trx: Transaction<Schema>, ids: readonly string[]): CompiledQuery => {
    const known = texts.get(ids.length) ?? add(ids).compile(trx).sql
    texts.set(ids.length, known)
    return CompiledQuery.raw(known, [...ids])
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

function addSums(
  table: 'usage_days' | 'usage_tiers' | 'usage_endpoints',
  key: readonly string[],
  isMeant: RawBuilder<unknown>,
  ids: readonly string[],
) {
  const names = key.map(name => text.ref(name))
  const values = key.map(name => (name === 'tier' ? text`coalesce(tier, '')` : text.ref(name)))
  const sums = sumNames.map(name => (name === 'requests' ? text`count(*)` : text`sum(${text.ref(name)})`))
  const added = Object.entries(addedTo(table)).map(([name, sum]) => text`${text.ref(name)} = ${sum}`)
  return text`insert into ${text.table(table)} (${text.join([...names, ...sumNames.map(name => text.ref(name))])})
    select ${text.join([...values, ...sums])} from usage_records where request_id in (${text.join(ids)}) and ${isMeant}
    group by ${text.join(values)} order by ${text.join(values)}
    on conflict (${text.join(names)}) do update set ${text.join(added)}`
}

/** What the platform's keys paid for. */
function addPlatformSums(ids: readonly string[]) {
  return text`insert into platform_days (tenant_id, day, tokens, cost_nanousd)
    select tenant_id, platform_day, sum(total_tokens), sum(platform_nanousd) from usage_records
    where request_id in (${text.join(ids)})
    group by tenant_id, platform_day order by tenant_id, platform_day
    on conflict (tenant_id, day) do update set
      tokens = ${text.raw(addBounded('platform_days.tokens', 'excluded.tokens'))},
      cost_nanousd = ${text.raw(addBounded('platform_days.cost_nanousd', 'excluded.cost_nanousd'))}`
}

/** For an upsert: the sums of the row that exists, with those of the new one. */
export function addedTo(table: 'usage_days' | 'usage_tiers' | 'usage_endpoints') {
  const sum = (name: string) => text.raw<number>(addBounded(`${table}.${name}`, `excluded.${name}`))
  return Object.fromEntries(sumNames.map(name => [name, sum(name)])) as Record<SumName, RawBuilder<number>>
}

/**
 * Usage rows may arrive late, and a restricted user may have been listed before being seen. Services of our own are no
 * end users; `like` would ignore the case in SQLite.
 */
function addUsers(ids: readonly string[]) {
  return text`insert into end_users (project_id, user_id, first_seen_at, last_seen_at)
    select project_id, user_id, min(created_at), max(created_at) from usage_records
    where request_id in (${text.join(ids)}) and (user_id < 'svc:' or user_id >= 'svc;')
    group by project_id, user_id order by project_id, user_id
    on conflict (${text.join(userKey.map(name => text.ref(name)))}) do update set
      first_seen_at = case when end_users.first_seen_at < excluded.first_seen_at
        then end_users.first_seen_at else excluded.first_seen_at end,
      last_seen_at = case when end_users.last_seen_at > excluded.last_seen_at
        then end_users.last_seen_at else excluded.last_seen_at end`
}
