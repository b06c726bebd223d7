// How rows of the request log are added up by hour in the transaction that writes them: sums are complete at any time,
// a row that is written twice is counted once, and a chart reads some hundred sums an hour instead of all rows. A sum
// also has how many of its rows were in which range of latency, as a text: see counted-ranges.ts.

import { addBounded } from '../../bounded-sums.ts'
import type { Dialect } from '../../migrate.ts'
import { typesIn } from '../column-types.ts'

/** What the rows of a sum agree in, besides project and hour. */
const texts = ['prompt', 'tier', 'endpoint', 'model_asked', 'model', 'provider', 'error_code'] as const
export const keys = ['project_id', 'id', ...texts, 'status'] as const
export const added = [
  'prompt_tokens',
  'cached_tokens',
  'completion_tokens',
  'reasoning_tokens',
  'cost_nanousd',
] as const
/** The lists of counts, by the column of a row that has the range. */
export const counted = { latency_range: 'latencies', first_token_range: 'first_tokens' } as const

const endOfTable: Record<Dialect, string> = { sqlite: 'strict, without rowid', postgres: 'partition by range (id)' }

/** The statement that creates the table. */
export function createSums(dialect: Dialect): string {
  const { text, int } = typesIn[dialect]
  const columns = [
    ...['project_id', 'id', ...texts].map(name => `${name} ${text} not null`),
    ...['at', 'status', 'requests', ...added].map(name => `${name} ${int} not null`),
    ...Object.values(counted).map(name => `${name} ${text}`),
  ]
  return `create table if not exists request_hours (${columns.join(', ')}, primary key (${keys.join(', ')}))
    ${endOfTable[dialect]}`
}

const hourMs = 3_600_000

const hexOfHour: Record<Dialect, (hour: string) => string> = {
  sqlite: hour => `printf('%012x', ${hour})`,
  postgres: hour => `lpad(to_hex(${hour}), 12, '0')`,
}

/** The values of `at` and the key, from a row by the name `r`. */
function valuesOf(dialect: Dialect): string[] {
  const hour = `(r.at - r.at % ${hourMs})`
  const hex = hexOfHour[dialect](hour)
  const id = `substr(${hex}, 1, 8) || '-' || substr(${hex}, 9) || '-'`
  return [hour, 'r.project_id', id, ...texts.map(name => `coalesce(r.${name}, '')`), 'r.status']
}

export const insertSums = `insert into request_hours
  (${['at', ...keys, 'requests', ...added, ...Object.values(counted)].join(', ')})`

/** A text is made shorter when it is longer than this: most batches only append to it. */
const maxLength = 1_000

const numbersOf: Record<Dialect, (text: string) => string> = {
  sqlite: text => `select value as number from json_each('[' || ${text} || ']')`,
  postgres: text => `select unnest(string_to_array(${text}, ',')::bigint[]) as number`,
}

/** Both texts in one. Of a range that is in them several times, a shorter one has the sum. */
function joined(name: string, dialect: Dialect): string {
  const both = `nullif(concat_ws(',', request_hours.${name}, excluded.${name}), '')`
  const ranges = `select number, (number % 1000 + 1000) % 1000 as place from (${numbersOf[dialect](both)}) n`
  const sums = `select sum(number - place) + place as number from (${ranges}) p group by place`
  const shorter = `(select string_agg(cast(number as text), ',') from (${sums}) s)`
  return `case when length(${both}) > ${maxLength} then ${shorter} else ${both} end`
}

export function onConflict(dialect: Dialect): string {
  const adding = ['requests', ...added].map(
    name => `${name} = ${addBounded(`request_hours.${name}`, `excluded.${name}`)}`,
  )
  const joining = Object.values(counted).map(name => `${name} = ${joined(name, dialect)}`)
  return `on conflict (${keys.join(', ')}) do update set ${[...adding, ...joining].join(', ')}`
}

const agreed = ['at', 'project_id', ...texts, 'status'] as const
const parameters = [...agreed, 'requests', ...added, ...Object.values(counted)]

/** SQLite: the thread of the database adds up rows, see row-sums.ts, and the statement adds the result to a sum. */
export const rowSums = {
  agreed,
  added,
  counted: Object.keys(counted),
  hourMs,
  statement: `${insertSums}
    select ${[...valuesOf('sqlite'), ...parameters.slice(agreed.length).map(name => `r.${name}`)].join(', ')}
    from (select ${parameters.map(name => `? as ${name}`).join(', ')}) r
    where true ${onConflict('sqlite')}`,
}

/** PostgreSQL: adds the rows that an insert into `requests` returns. */
export function withSums(insertRows: string): string {
  return addSumsOf(`${insertRows} returning *`)
}

/** PostgreSQL: adds the rows that a statement returns. Sorted, so that writers do not deadlock. */
export function addSumsOf(rows: string): string {
  const values = valuesOf('postgres')
  const sums = added.map(name => `sum(coalesce(r.${name}, 0))`)
  const ranges = Object.keys(counted).map(name => `string_agg((1000 + r.${name})::text, ',')`)
  const places = values.map((_, index) => index + 1).join(', ')
  return `with r as (${rows})
    ${insertSums} select ${[...values, 'count(*)', ...sums, ...ranges].join(', ')} from r
    group by ${places} order by ${places} ${onConflict('postgres')}`
}
