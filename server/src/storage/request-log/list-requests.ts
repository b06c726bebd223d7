// Lists rows of the request log, newest first, and finds one by its id.

import { everyRequestOf, type RequestFilter } from '../../domain/requests/request-filter.ts'
import {
  type DayRange,
  findRange,
  hasMoreConditions,
  matchingRows,
  measureRead,
  type RequestRow,
  rangesOf,
} from './filtered-rows.ts'
import { type RequestDays, timeOfId } from './request-days.ts'

interface RequestPage {
  rows: RequestRow[]
  /** The id after which the list goes on; null at its end. There may be fewer rows than wanted before it. */
  next: string | null
}

/** A call reads at most so many rows: one that looks for rare ones goes on with the next call. */
export const maxRead = 50_000
const rowsAtOnce = 500

export async function listRequests(
  days: RequestDays,
  filter: RequestFilter,
  { after, limit }: { after: string | null; limit: number },
): Promise<RequestPage> {
  const rows: RequestRow[] = []
  let left = maxRead
  for (const range of await rangesOf(days, filter, after)) {
    const wanted = limit - rows.length
    rows.push(...(await readPage(range, filter, wanted, left)))
    if (rows.length >= limit) return { rows, next: rows.at(-1)?.id ?? null }
    if (!hasMoreConditions(filter)) continue
    const { count, last } = await measureRead(range, filter, left)
    left -= count
    if (left <= 0) return { rows, next: last }
  }
  return { rows, next: null }
}

/** Without more conditions, no row is read that is not shown. With some, the others are not read whole. */
async function readPage(range: DayRange, filter: RequestFilter, wanted: number, left: number): Promise<RequestRow[]> {
  if (!hasMoreConditions(filter)) {
    return await matchingRows(range, filter, wanted).selectAll('requests').orderBy('id', 'desc').execute()
  }
  const matching = matchingRows(range, filter, left)
  const found = await matching.select('id').orderBy('id', 'desc').limit(wanted).execute()
  if (found.length === 0) return []
  return await range.sql
    .selectFrom('requests')
    .selectAll()
    .where('project_id', '=', filter.projectId)
    .where(
      'id',
      'in',
      found.map(({ id }) => id),
    )
    .orderBy('id', 'desc')
    .execute()
}

/** All rows of a project, the newest first, in pages. */
export async function* readAllRequests(days: RequestDays, projectId: string): AsyncGenerator<RequestRow[]> {
  for (let after: string | null = null; ; ) {
    const { rows, next } = await listRequests(days, everyRequestOf(projectId), { after, limit: rowsAtOnce })
    yield rows
    if (next === null) return
    after = next
  }
}

export async function findRequest(days: RequestDays, projectId: string, id: string): Promise<RequestRow | null> {
  const range = await findRange(days, timeOfId(id))
  const row = await range?.sql
    .selectFrom('requests')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}
