// Moves the sums of an earlier version in PostgreSQL: its replicas may still write them until they are replaced.

import { sql as text } from 'kysely'
import { idsOf, type RequestDays } from '../request-days.ts'
import { addEarlierSums, type EarlierSums, earlierSums } from './earlier-sums.ts'

/** A statement for each day and table, so that none takes long. */
export async function moveEarlierSums(days: RequestDays, signal: AbortSignal): Promise<void> {
  for (const day of await days.list()) {
    for (const sums of earlierSums) {
      if (signal.aborted) return
      if (await hasEarlierSums(days, day, sums)) await moveDay(days, day, sums)
    }
  }
}

const ofDay = (day: string): string => {
  const [from, to] = idsOf(day)
  return `id >= '${from}' and id < '${to}'`
}

async function hasEarlierSums(days: RequestDays, day: string, { table }: EarlierSums): Promise<boolean> {
  const sql = days.of(day)
  const named = await text<{ is_there: boolean }>`select to_regclass(${table}) is not null as is_there`.execute(sql)
  if (named.rows[0]?.is_there !== true) return false
  const found = await text.raw(`select 1 from ${table} where ${ofDay(day)} limit 1`).execute(sql)
  return found.rows.length > 0
}

async function moveDay(days: RequestDays, day: string, sums: EarlierSums): Promise<void> {
  await days.create(day)
  const moved = `delete from ${sums.table} where ${ofDay(day)} returning *`
  await text.raw(`with moved as (${moved}) ${addEarlierSums(sums, 'moved', 'postgres')}`).execute(days.of(day))
}
