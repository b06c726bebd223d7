// Sums the requests of a filter by what they have in common, such as their model: the groups with the most of
// something. Which they are is decided by the first ones of each day; what they add up to is of all their requests.

import { type RawBuilder, sql as text } from 'kysely'
import type { RequestFilter } from '../../domain/requests/request-filter.ts'
import type { RequestDimension, RequestOrder } from '../../domain/requests/request-groups.ts'
import { sumOf } from '../bounded-sums.ts'
import { addRequests, type Grouping, readRows, wholeHours } from './add-requests.ts'
import { type DayRange, isSummed, matchingRows, matchingSums, rangesOf, summedRanges } from './filtered-rows.ts'
import { type RequestDays, timeOfId } from './request-days.ts'
import type { RequestSums } from './sums/added-requests.ts'

interface Dimension {
  /** '' for a request without it. */
  value: RawBuilder<string>
  /** Whether the sums of hours have it. */
  isSummed: boolean
}

const column = (name: string, isInSums = true): Dimension => ({
  value: text<string>`coalesce(${text.ref(name)}, '')`,
  isSummed: isInSums,
})

const dimensions: Record<RequestDimension, Dimension> = {
  // One that was not used is the one that was asked for, as the filter has it.
  model: { value: text<string>`coalesce(nullif(model, ''), model_asked, '')`, isSummed: true },
  provider: column('provider'),
  tier: column('tier'),
  endpoint: column('endpoint'),
  prompt: column('prompt'),
  status: { value: text<string>`cast(status as text)`, isSummed: true },
  error: column('error_code'),
  uid: column('uid', false),
  thread: column('thread_id', false),
  agent_session: column('agent_session_id', false),
  agent: column('agent_id', false),
}

/** In rows, and in sums, of which each has a number of requests. */
const orders: Record<RequestOrder, { ofRows: RawBuilder<number>; ofSums: RawBuilder<number> }> = {
  requests: { ofRows: text`count(*)`, ofSums: text`sum(requests)` },
  errors: { ofRows: text`count(error_code)`, ofSums: text`sum(case when error_code <> '' then requests else 0 end)` },
  tokens: both(sumOf(text`prompt_tokens + completion_tokens`)),
  cost_usd: both(sumOf('cost_nanousd')),
}

function both(sum: RawBuilder<number>) {
  return { ofRows: sum, ofSums: sum }
}

interface Asked {
  by: RequestDimension
  order: RequestOrder
  limit: number
}

interface RequestGroups {
  /** `value`: null for the requests that have none. */
  groups: (RequestSums & { value: string | null })[]
  /** Of the requests in no other group; null if there are none. */
  others: RequestSums | null
  totals: RequestSums
  /** Older rows of the filter were not read; null if all were. */
  completeFrom: number | null
}

export async function groupRequests(days: RequestDays, filter: RequestFilter, asked: Asked): Promise<RequestGroups> {
  const hours = wholeHours(filter)
  const { value, isSummed: hasSums } = dimensions[asked.by]
  const isOfPrompts = asked.by === 'prompt'
  const first = await findFirst(days, hours, asked)
  const isFirst = first.length === 0 ? text`false` : text`${value} in (${text.join(first)})`
  const key = text<string | null>`case when ${isFirst} then ${value} end`
  const grouping: Grouping<string | null> = { key, isSummed: hasSums, isOfPrompts }
  const { added, last } = await addRequests(days, hours, grouping)
  const found = new Map(added.show())
  return {
    groups: first.flatMap(name => {
      const sums = found.get(name)
      return sums === undefined ? [] : [{ value: name === '' ? null : name, ...sums }]
    }),
    others: found.get(null) ?? null,
    totals: added.showTotals(),
    completeFrom: last === null ? null : timeOfId(last),
  }
}

/** Of all days together, so that what is read of them is sorted within milliseconds. */
const maxCandidates = 10_000

/** The values with the most. */
async function findFirst(days: RequestDays, filter: RequestFilter, { by, order, limit }: Asked): Promise<string[]> {
  const { value, isSummed: hasSums } = dimensions[by]
  const found = new Map<string, number>()
  const count = (await rangesOf(days, filter, null)).length
  const perDay = Math.max(limit, Math.floor(maxCandidates / Math.max(1, count)))
  const add = (rows: { value: string; measure: number }[]): void => {
    for (const row of rows) found.set(row.value, (found.get(row.value) ?? 0) + row.measure)
  }
  const [firstPlace, secondPlace] = [text`1`, text`2 desc`]
  if (hasSums && isSummed(filter)) {
    for (const range of await summedRanges(days, filter)) {
      const matching = matchingSums(range, filter)
      const sums = by === 'prompt' ? matching.where('prompt', '<>', '') : matching
      const selected = sums.select([value.as('value'), orders[order].ofSums.as('measure')])
      add(await selected.groupBy(firstPlace).orderBy(secondPlace).limit(perDay).execute())
    }
  } else {
    await readRows(days, filter, null, async (range: DayRange, read) => {
      const matching = matchingRows(range, filter, read)
      const rows = by === 'prompt' ? matching.where('prompt', 'is not', null) : matching
      const selected = rows.select([value.as('value'), orders[order].ofRows.as('measure')])
      add(await selected.groupBy(firstPlace).orderBy(secondPlace).limit(perDay).execute())
      return null
    })
  }
  return [...found]
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([name]) => name)
}
