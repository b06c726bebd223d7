// How the sums of an earlier version, which had one for each range of time, are added to those of this one. SQLite does
// it when it opens the file of a day, PostgreSQL by a job. The version after this one can do without.

import type { Dialect } from '../../migrate.ts'
import { added, counted, insertSums, keys, onConflict } from './sum-columns.ts'

export interface EarlierSums {
  table: string
  /** Of its rows. */
  range: keyof typeof counted
  /** What a row is added to: by prompt, with a factor. */
  parts: readonly (readonly [prompt: string, factor: 1 | -1])[]
}

const withoutPrompt = "''"

/** Rows with a prompt were in the first two: they are taken out of the sums without a prompt. */
export const earlierSums: readonly EarlierSums[] = [
  { table: 'request_sums', range: 'latency_range', parts: [[withoutPrompt, 1]] },
  {
    table: 'request_prompt_sums',
    range: 'latency_range',
    parts: [
      ['r.prompt', 1],
      [withoutPrompt, -1],
    ],
  },
  { table: 'request_first_token_sums', range: 'first_token_range', parts: [['r.prompt', 1]] },
]

/** The statement that adds what `from` has of the earlier table. */
export function addEarlierSums({ range, parts }: EarlierSums, from: string, dialect: Dialect): string {
  const selected = parts.map(([prompt, factor]) => {
    const numberOf = (name: string) => (range === 'latency_range' ? `${factor} * r.${name}` : '0')
    const columns = [
      'r.at',
      ...keys.map(name => `${name === 'prompt' ? prompt : `r.${name}`} as ${name}`),
      ...['requests', ...added].map(name => `${numberOf(name)} as ${name}`),
      `${factor} * r.requests * 1000 + r.${range} as number`,
    ]
    return `select ${columns.join(', ')} from ${from} r`
  })
  const grouped = ['at', ...keys].join(', ')
  const sums = ['requests', ...added].map(name => `sum(${name})`)
  const none = dialect === 'postgres' ? 'null::text' : 'null'
  const lists = Object.keys(counted).map(name => (name === range ? "string_agg(cast(number as text), ',')" : none))
  return `${insertSums} select ${[grouped, ...sums, ...lists].join(', ')} from (${selected.join(' union all ')}) e
    where true group by ${grouped} order by ${grouped} ${onConflict(dialect)}`
}
