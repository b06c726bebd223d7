// Deletes what a day of the request log has of a project: rows with their sums, or content.

import { idsOf, type RequestDays } from './request-days.ts'
import type { DayKind } from './request-tables.ts'

/** At most `limit` rows; returns how many. With the last ones it deletes their sums. */
export async function deleteProjectRows(
  days: RequestDays,
  { tables: [main, ...others] }: DayKind,
  { day, projectId, limit }: { day: string; projectId: string; limit: number },
): Promise<number> {
  const sql = days.of(day)
  const [from, to] = idsOf(day)
  const rowsOf = (table: DayKind['tables'][number]) =>
    sql.deleteFrom(table).where('project_id', '=', projectId).where('id', '>=', from).where('id', '<', to)
  const ofProject = sql.selectFrom(main).select('id').where('project_id', '=', projectId)
  const page = ofProject.where('id', '>=', from).where('id', '<', to).orderBy('id').limit(limit)
  const { numDeletedRows } = await rowsOf(main).where('id', 'in', page).executeTakeFirstOrThrow()
  if (numDeletedRows < limit) for (const table of others) await rowsOf(table).execute()
  return Number(numDeletedRows)
}
