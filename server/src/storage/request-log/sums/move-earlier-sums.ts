// Moves the sums of an earlier version in PostgreSQL: its replicas may still write them until they are replaced.

import { sql as text } from 'kysely'
import { idsOf, type RequestDays } from '../request-days.ts'
import { addEarlierSums, type EarlierSums, earlierSums } from './earlier-sums.ts'

/** An hour of a project. */
interface Piece {
  project: string
  hour: string
}

/** A statement for each hour of each project, so that none takes long. */
export async function moveEarlierSums(days: RequestDays, signal: AbortSignal): Promise<void> {
  for (const day of await days.list()) {
    for (const sums of earlierSums) if (await isThere(days, day, sums)) await moveDay(days, day, sums, signal)
  }
}

async function isThere(days: RequestDays, day: string, { table }: EarlierSums): Promise<boolean> {
  const found = await text<{ is_there: boolean }>`select to_regclass(${table}) is not null as is_there`.execute(
    days.of(day),
  )
  return found.rows[0]?.is_there === true
}

/** In the order of the primary key, so that no statement reads past what was moved before. */
async function moveDay(days: RequestDays, day: string, sums: EarlierSums, signal: AbortSignal): Promise<void> {
  let piece = await findPiece(days, day, sums, { project: '', hour: '' })
  if (piece !== null) await days.create(day)
  for (; piece !== null && !signal.aborted; piece = await findPiece(days, day, sums, piece)) {
    const moved = text`delete from ${text.ref(sums.table)}
      where project_id = ${piece.project} and id = ${piece.hour} returning *`
    const add = text.raw(addEarlierSums(sums, 'moved', 'postgres'))
    await text`with moved as (${moved}) ${add}`.execute(days.of(day))
  }
}

async function findPiece(days: RequestDays, day: string, { table }: EarlierSums, after: Piece): Promise<Piece | null> {
  const [from, to] = idsOf(day)
  const found = await text<Piece>`select project_id as project, id as hour from ${text.ref(table)}
    where id >= ${from} and id < ${to} and (project_id, id) > (${after.project}, ${after.hour})
    order by project_id, id limit 1`.execute(days.of(day))
  return found.rows[0] ?? null
}
