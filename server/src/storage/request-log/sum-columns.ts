// How rows of the request log are added up by hour in the transaction that writes them: sums are complete at any time,
// a row that is written twice is counted once, and a chart reads some hundred sums an hour instead of all rows. Rows
// with a prompt are also added up by prompt, in a table of their own.

import type { Dialect } from '../migrate.ts'
import { typesIn } from './column-types.ts'

/** What the rows of a sum agree in, besides project and hour. */
const texts = ['tier', 'endpoint', 'model_asked', 'model', 'provider', 'error_code'] as const
const numbers = ['status', 'latency_range'] as const
const added = ['prompt_tokens', 'cached_tokens', 'completion_tokens', 'reasoning_tokens', 'cost_nanousd'] as const

interface SumTable {
  name: 'request_sums' | 'request_prompt_sums'
  texts: readonly string[]
  /** Rows without this are not added; null: all are. */
  only: 'prompt' | null
}

const ofAll: SumTable = { name: 'request_sums', texts, only: null }
const ofPrompts: SumTable = { name: 'request_prompt_sums', texts: ['prompt', ...texts], only: 'prompt' }
const sumTables = [ofAll, ofPrompts] as const

const endOfTable: Record<Dialect, string> = { sqlite: 'strict, without rowid', postgres: 'partition by range (id)' }

/** The statements that create the tables. */
export function createSumTables(dialect: Dialect): string[] {
  const { text, int } = typesIn[dialect]
  return sumTables.map(table => {
    const columns = [
      ...['project_id', 'id', ...table.texts].map(name => `${name} ${text} not null`),
      ...['at', ...numbers, 'requests', ...added].map(name => `${name} ${int} not null`),
    ]
    const all = `${columns.join(', ')}, primary key (${keyOf(table)})`
    return `create table if not exists ${table.name} (${all}) ${endOfTable[dialect]}`
  })
}

function keyOf(table: SumTable): string {
  return ['project_id', 'id', ...table.texts, ...numbers].join(', ')
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
  return ['r.project_id', id, hour, ...ofTexts, ...numbers.map(name => `r.${name}`)]
}

function insertInto(table: SumTable): string {
  return `insert into ${table.name}
    (${['project_id', 'id', 'at', ...table.texts, ...numbers, 'requests', ...added].join(', ')})`
}

function onConflict(table: SumTable): string {
  const adding = ['requests', ...added].map(name => `${name} = ${table.name}.${name} + excluded.${name}`)
  return `on conflict (${keyOf(table)}) do update set ${adding.join(', ')}`
}

/** The columns of the parameters of SQLite's statement: what rows agree in, how many they are, what they add up to. */
function parametersOf(table: SumTable): string[] {
  return ['project_id', 'at', ...table.texts, ...numbers, 'requests', ...added]
}

/** SQLite: the thread of the database adds up rows, see row-sums.ts, and the statement adds the result to a sum. */
export const rowSums = sumTables.map(table => ({
  only: table.only,
  values: ['project_id', 'at', ...table.texts, ...numbers],
  added,
  hourMs,
  statement: `${insertInto(table)}
    select ${[...valuesOf(table, 'sqlite'), 'r.requests', ...added.map(name => `r.${name}`)].join(', ')}
    from (select ${parametersOf(table)
      .map(name => `? as ${name}`)
      .join(', ')}) r
    where true ${onConflict(table)}`,
}))

/** PostgreSQL: adds the rows that an insert into `requests` returns. */
export function withSums(insert: string): string {
  return `with r as (${insert} returning *), p as (${addReturned(ofPrompts)}) ${addReturned(ofAll)}`
}

/** Sorted, so that writers do not deadlock. */
function addReturned(table: SumTable): string {
  const values = valuesOf(table, 'postgres')
  const sums = added.map(name => `sum(coalesce(r.${name}, 0))`)
  const places = values.map((_, index) => index + 1).join(', ')
  const which = table.only === null ? '' : `where r.${table.only} is not null`
  return `${insertInto(table)} select ${[...values, 'count(*)', ...sums].join(', ')} from r ${which}
    group by ${places} order by ${places} ${onConflict(table)}`
}
