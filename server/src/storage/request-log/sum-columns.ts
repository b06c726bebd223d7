// How rows of the request log are added up by hour in the transaction that writes them: sums are complete at any time,
// a row that is written twice is counted once, and a chart reads some hundred sums an hour instead of all rows. Rows
// with a prompt are also added up by prompt, and those of streams by the time of their first token, in tables of their
// own.

import type { Dialect } from '../migrate.ts'
import { typesIn } from './column-types.ts'

/** What the rows of a sum agree in, besides project and hour. */
const texts = ['tier', 'endpoint', 'model_asked', 'model', 'provider', 'error_code'] as const
const added = ['prompt_tokens', 'cached_tokens', 'completion_tokens', 'reasoning_tokens', 'cost_nanousd'] as const

interface SumTable {
  name: (typeof sumTableNames)[number]
  texts: readonly string[]
  /** By `latencyRangeOf`, of the time from which percentiles follow. */
  range: 'latency_range' | 'first_token_range'
  /** What is added, besides the number of rows. */
  added: readonly string[]
  /** Rows without this are not added; null: all are. */
  only: 'prompt' | 'first_token_range' | null
}

export const sumTableNames = ['request_sums', 'request_prompt_sums', 'request_first_token_sums'] as const

const ofAll: SumTable = { name: 'request_sums', texts, range: 'latency_range', added, only: null }
const ofPrompts: SumTable = {
  name: 'request_prompt_sums',
  texts: ['prompt', ...texts],
  range: 'latency_range',
  added,
  only: 'prompt',
}
/** By prompt as well: without one, '' is in its place. */
const ofFirstTokens: SumTable = {
  name: 'request_first_token_sums',
  texts: ['prompt', ...texts],
  range: 'first_token_range',
  added: [],
  only: 'first_token_range',
}
const sumTables = [ofAll, ofPrompts, ofFirstTokens] as const

const endOfTable: Record<Dialect, string> = { sqlite: 'strict, without rowid', postgres: 'partition by range (id)' }

/** The statements that create the tables. */
export function createSumTables(dialect: Dialect): string[] {
  const { text, int } = typesIn[dialect]
  return sumTables.map(table => {
    const columns = [
      ...['project_id', 'id', ...table.texts].map(name => `${name} ${text} not null`),
      ...['at', ...numbersOf(table), 'requests', ...table.added].map(name => `${name} ${int} not null`),
    ]
    const all = `${columns.join(', ')}, primary key (${keyOf(table)})`
    return `create table if not exists ${table.name} (${all}) ${endOfTable[dialect]}`
  })
}

/** What the rows of a sum agree in that is no text. */
function numbersOf({ range }: SumTable): string[] {
  return ['status', range]
}

function keyOf(table: SumTable): string {
  return ['project_id', 'id', ...table.texts, ...numbersOf(table)].join(', ')
}

const hourMs = 3_600_000

const hexOfHour: Record<Dialect, (hour: string) => string> = {
  sqlite: hour => `printf('%012x', ${hour})`,
  postgres: hour => `lpad(to_hex(${hour}), 12, '0')`,
}

/** The values of the key and `at`, from a row by the name `r`. */
function valuesOf(table: SumTable, dialect: Dialect): string[] {
  const hour = `(r.at - r.at % ${hourMs})`
  const hex = hexOfHour[dialect](hour)
  const id = `substr(${hex}, 1, 8) || '-' || substr(${hex}, 9) || '-'`
  const ofTexts = table.texts.map(name => `coalesce(r.${name}, '')`)
  return ['r.project_id', id, hour, ...ofTexts, ...numbersOf(table).map(name => `r.${name}`)]
}

function insertInto(table: SumTable): string {
  return `insert into ${table.name}
    (${['project_id', 'id', 'at', ...table.texts, ...numbersOf(table), 'requests', ...table.added].join(', ')})`
}

function onConflict(table: SumTable): string {
  const adding = ['requests', ...table.added].map(name => `${name} = ${table.name}.${name} + excluded.${name}`)
  return `on conflict (${keyOf(table)}) do update set ${adding.join(', ')}`
}

/** The columns of the parameters of SQLite's statement: what rows agree in, how many they are, what they add up to. */
function parametersOf(table: SumTable): string[] {
  return ['project_id', 'at', ...table.texts, ...numbersOf(table), 'requests', ...table.added]
}

/** SQLite: the thread of the database adds up rows, see row-sums.ts, and the statement adds the result to a sum. */
export const rowSums = sumTables.map(table => ({
  only: table.only,
  values: ['project_id', 'at', ...table.texts, ...numbersOf(table)],
  added: table.added,
  hourMs,
  statement: `${insertInto(table)}
    select ${[...valuesOf(table, 'sqlite'), 'r.requests', ...table.added.map(name => `r.${name}`)].join(', ')}
    from (select ${parametersOf(table)
      .map(name => `? as ${name}`)
      .join(', ')}) r
    where true ${onConflict(table)}`,
}))

/** PostgreSQL: adds the rows that an insert into `requests` returns. */
export function withSums(insert: string): string {
  return addSumsOf(`${insert} returning *`)
}

/** PostgreSQL: adds the rows that a statement returns. */
export function addSumsOf(rows: string): string {
  const others = `p as (${addReturned(ofPrompts)}), f as (${addReturned(ofFirstTokens)})`
  return `with r as (${rows}), ${others} ${addReturned(ofAll)}`
}

/** Sorted, so that writers do not deadlock. */
function addReturned(table: SumTable): string {
  const values = valuesOf(table, 'postgres')
  const sums = table.added.map(name => `sum(coalesce(r.${name}, 0))`)
  const places = values.map((_, index) => index + 1).join(', ')
  const which = table.only === null ? '' : `where r.${table.only} is not null`
  return `${insertInto(table)} select ${[...values, 'count(*)', ...sums].join(', ')} from r ${which}
    group by ${places} order by ${places} ${onConflict(table)}`
}
