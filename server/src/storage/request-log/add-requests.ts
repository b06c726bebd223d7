// Adds up the requests of a filter by a key: from the sums of hours, or from the rows where those do not have what is
// asked for.

import { type RawBuilder, type SelectType, sql as text } from 'kysely'
import { dayMs } from '../../domain/day.ts'
import type { RequestFilter } from '../../domain/requests/request-filter.ts'
import { sumOf } from '../bounded-sums.ts'
import {
  type DayRange,
  hasMoreConditions,
  isSummed,
  matchingRows,
  matchingSums,
  measureRead,
  rangesOf,
  summedRanges,
} from './filtered-rows.ts'
import { maxRead } from './list-requests.ts'
import type { RequestDays } from './request-days.ts'
import { AddedRequests } from './sums/added-requests.ts'

const hourMs = 3_600_000

/** What requests are added up by. */
export interface Grouping<Key> {
  /** Of the columns that rows and sums have, where `isSummed` is true: of those that rows have. */
  key: RawBuilder<Key>
  isSummed: boolean
  /** Requests without a prompt are left out. */
  isOfPrompts: boolean
}

interface Added<Key> {
  added: AddedRequests<SelectType<Key>>
  /** The id of the last row that was read, if there may be older ones. */
  last: string | null
}

/** The period from the first to the last hour that it touches, as the sums are. */
export function wholeHours(filter: RequestFilter): RequestFilter {
  const from = Math.floor(filter.from / hourMs) * hourMs
  return { ...filter, from, to: (Math.floor(filter.to / hourMs) + 1) * hourMs - 1 }
}

export async function addRequests<Key>(
  days: RequestDays,
  filter: RequestFilter,
  grouping: Grouping<Key>,
): Promise<Added<Key>> {
  const added = new AddedRequests<SelectType<Key>>()
  if (grouping.isSummed && isSummed(filter)) {
    for (const range of await summedRanges(days, filter)) await addSums(added, range, filter, grouping)
    return { added, last: null }
  }
  const last = await readRows(days, filter, null, (range, limit) => addRows(added, { range, limit, filter }, grouping))
  return { added, last }
}

/** Of all rows, however many: for what nobody waits for. */
export async function addAllRows(days: RequestDays, filter: RequestFilter): Promise<AddedRequests<number>> {
  const added = new AddedRequests<number>()
  const grouping = { key: text<number>`0`, isSummed: false, isOfPrompts: false }
  let before: string | null = null
  do before = await readRows(days, filter, before, (range, limit) => addRows(added, { range, limit, filter }, grouping))
  while (before !== null)
  return added
}

/**
 * Calls `read` for the days of as many rows as a list reads, the newest first, before the row with the id `before`; it
 * returns how many rows it has read, or null if it does not know. Returns the last id if there may be more.
 */
export async function readRows(
  days: RequestDays,
  filter: RequestFilter,
  before: string | null,
  read: (range: DayRange, limit: number) => Promise<number | null>,
): Promise<string | null> {
  let left = maxRead
  for (const range of await rangesOf(days, filter, before)) {
    const known = await read(range, left)
    if (known !== null && known < left) {
      left -= known
      continue
    }
    const { count, last } = await measureRead(range, filter, left)
    left -= count
    if (left <= 0) return last
  }
  return null
}

const dayNumber = text`at / ${text.lit(dayMs)}`
/** The key and the day: they are expressions with parameters, which two databases compare by place alone. */
const places = text`1, 2`

const tokensAndCost = [
  sumOf('prompt_tokens').as('prompt_tokens'),
  sumOf('cached_tokens').as('cached_tokens'),
  sumOf('completion_tokens').as('completion_tokens'),
  sumOf('reasoning_tokens').as('reasoning_tokens'),
  sumOf('cost_nanousd').as('cost_nanousd'),
] as const

/** By day, so that no text of counts takes long to read. */
async function addSums<Key>(
  added: AddedRequests<SelectType<Key>>,
  range: DayRange,
  filter: RequestFilter,
  { key, isOfPrompts }: Grouping<Key>,
): Promise<void> {
  const matching = matchingSums(range, filter)
  const sums = isOfPrompts ? matching.where('prompt', '<>', '') : matching
  const found = await sums
    .select([
      key.as('key'),
      dayNumber.as('day'),
      text<number>`sum(requests)`.as('requests'),
      text<number>`sum(case when error_code <> '' then requests else 0 end)`.as('errors'),
      ...tokensAndCost,
      text<string | null>`string_agg(latencies, ',')`.as('latencies'),
      text<string | null>`string_agg(first_tokens, ',')`.as('first_tokens'),
    ])
    .groupBy(places)
    .execute()
  await added.add(found)
}

interface MatchingRows {
  range: DayRange
  limit: number
  filter: RequestFilter
}

/** As counted-ranges.ts says. */
const counted = (column: string) => text<string | null>`string_agg(cast(1000 + ${text.ref(column)} as text), ',')`

async function addRows<Key>(
  added: AddedRequests<SelectType<Key>>,
  { range, limit, filter }: MatchingRows,
  { key, isOfPrompts }: Grouping<Key>,
): Promise<number | null> {
  const matching = matchingRows(range, filter, limit)
  const rows = isOfPrompts ? matching.where('prompt', 'is not', null) : matching
  const found = await rows
    .select([
      key.as('key'),
      dayNumber.as('day'),
      text<number>`count(*)`.as('requests'),
      text<number>`count(error_code)`.as('errors'),
      ...tokensAndCost,
      counted('latency_range').as('latencies'),
      counted('first_token_range').as('first_tokens'),
    ])
    .groupBy(places)
    .execute()
  await added.add(found)
  if (isOfPrompts || hasMoreConditions(filter)) return null
  return found.reduce((sum, { requests }) => sum + Number(requests), 0)
}
