// How rows of the request log are added up by hour in the transaction that writes them: sums are complete at any time,
// a row that is written twice is counted once, and a chart reads some hundred sums an hour instead of all rows.

import type { Dialect } from '../migrate.ts'
import { typesIn } from './column-types.ts'

/** What the rows of a sum agree in, besides project and hour. */
const texts = ['tier', 'endpoint', 'model_asked', 'model', 'provider', 'error_code'] as const
const numbers = ['status', 'latency_range'] as const
const added = ['prompt_tokens', 'cached_tokens', 'completion_tokens', 'reasoning_tokens', 'cost_nanousd'] as const

const hourMs = 3_600_000
const names = ['project_id', 'id', 'at', ...texts, ...numbers, 'requests', ...added].join(', ')
const key = ['project_id', 'id', ...texts, ...numbers].join(', ')

export function sumColumnsIn(dialect: Dialect): string {
  const { text, int } = typesIn[dialect]
  const columns = [
    ...['project_id', 'id', ...texts].map(name => `${name} ${text} not null`),
    ...['at', ...numbers, 'requests', ...added].map(name => `${name} ${int} not null`),
  ]
  return `${columns.join(', ')}, primary key (${key})`
}

const hexOfHour: Record<Dialect, (hour: string) => string> = {
  sqlite: hour => `printf('%012x', ${hour})`,
  postgres: hour => `lpad(to_hex(${hour}), 12, '0')`,
}

/** The values of the key and `at`, from a row by the name `row`. */
function valuesOf(dialect: Dialect, row: string): string[] {
  const hour = `(${row}.at - ${row}.at % ${hourMs})`
  const hex = hexOfHour[dialect](hour)
  const id = `substr(${hex}, 1, 8) || '-' || substr(${hex}, 9) || '-'`
  const ofTexts = texts.map(name => `coalesce(${row}.${name}, '')`)
  return [`${row}.project_id`, id, hour, ...ofTexts, ...numbers.map(name => `${row}.${name}`)]
}

const adding = ['requests', ...added].map(name => `${name} = request_sums.${name} + excluded.${name}`).join(', ')

/** The columns of the parameters of SQLite's statement: what rows agree in, how many they are, what they add up to. */
const given = ['project_id', 'at', ...texts, ...numbers, 'requests', ...added]

/** SQLite: the thread of the database adds up rows, see row-sums.ts, and the statement adds the result to a sum. */
export const rowSums = {
  values: ['project_id', 'at', ...texts, ...numbers],
  added,
  hourMs,
  statement: `insert into request_sums (${names})
    select ${[...valuesOf('sqlite', 'r'), 'r.requests', ...added.map(name => `r.${name}`)].join(', ')}
    from (select ${given.map(name => `? as ${name}`).join(', ')}) r
    where true on conflict (${key}) do update set ${adding}`,
} as const

/** PostgreSQL: adds the rows that an insert into `requests` returns. Sorted, so that writers do not deadlock. */
export function withSums(insert: string): string {
  const values = valuesOf('postgres', 'r')
  const sums = added.map(name => `sum(coalesce(r.${name}, 0))`)
  const places = values.map((_, index) => index + 1).join(', ')
  return `with r as (${insert} returning *)
    insert into request_sums (${names}) select ${[...values, 'count(*)', ...sums].join(', ')} from r
    group by ${places} order by ${places} on conflict (${key}) do update set ${adding}`
}
