// Writes rows of the request log. A row that is there already stays as it is. PostgreSQL takes a batch as one text;
// SQLite would read that text again for each of its values, so it takes a parameter for each.

import { CompiledQuery, type Kysely } from 'kysely'
import { memoizeKnown } from '../../collections/bounded-memo.ts'
import { latencyRangeOf, type RequestRecord } from '../../domain/requests/request-record.ts'
import type { Dialect } from '../migrate.ts'
import { inGroups } from '../row-groups.ts'
import { executeTogether } from '../transact.ts'
import { dayOf, type RequestDays } from './request-days.ts'
import { type RequestTables, requestColumns } from './request-tables.ts'
import { withSums } from './sum-columns.ts'

type Values = readonly (string | number | null)[]

interface RequestWriter {
  write(batch: readonly RequestRecord[]): Promise<void>
}

export function createRequestWriter(days: RequestDays): RequestWriter {
  /** Days whose storage was created by this process. */
  const created = new Set<string>()

  async function writeDay(day: string, rows: readonly Values[]): Promise<void> {
    if (!created.has(day)) {
      await days.create(day)
      created.add(day)
    }
    try {
      await insertInto[days.dialect](days.of(day), rows)
    } catch (error) {
      // Its storage may have been dropped: the next try creates it.
      created.delete(day)
      throw error
    }
  }

  return {
    async write(batch) {
      const byDay = Map.groupBy(batch, ({ at }) => dayOf(at))
      for (const [day, records] of byDay) await writeDay(day, records.map(valuesOf))
    },
  }
}

/** In the order of `requestColumns`. */
function valuesOf(record: RequestRecord): Values {
  const { guardrails, timeline } = record
  return [
    record.projectId,
    record.id,
    record.at,
    record.userId,
    record.tier,
    record.endpoint,
    record.isStream ? 1 : 0,
    record.modelAsked,
    record.model,
    record.provider,
    record.status,
    record.errorCode,
    record.finishReason,
    record.latencyMs,
    latencyRangeOf(record.latencyMs),
    record.firstTokenMs,
    record.attempts,
    record.cache,
    record.promptTokens,
    record.cachedTokens,
    record.completionTokens,
    record.reasoningTokens,
    record.cost,
    guardrails.length === 0 ? null : JSON.stringify(guardrails),
    record.threadId,
    record.sessionId,
    record.client,
    record.isPlayground ? 1 : 0,
    timeline.length === 0 ? null : JSON.stringify(timeline),
    null,
    null,
  ]
}

const names = Object.keys(requestColumns).join(', ')

const casts = { text: '', int: '::bigint', float: '::double precision' } as const

/** What SQLite's trigger and PostgreSQL's outer statement add to the sums is what was not there yet. */
const insertText = withSums(
  `insert into requests (${names}) select ${Object.values(requestColumns)
    .map((type, index) => `(value ->> ${index})${casts[type]}`)
    .join(', ')} from json_array_elements($1::json) on conflict do nothing`,
)

const insertRows = memoizeKnown((count: number) => {
  const row = `(${Object.keys(requestColumns).fill('?').join(', ')})`
  return `insert into requests (${names}) values ${new Array(count).fill(row).join(', ')} on conflict do nothing`
}, 10)

const insertInto: Record<Dialect, (sql: Kysely<RequestTables>, rows: readonly Values[]) => Promise<unknown>> = {
  sqlite: (sql, rows) =>
    sql.transaction().execute(trx =>
      executeTogether(
        trx,
        inGroups(rows).map(group => CompiledQuery.raw(insertRows(group.length), group.flat())),
      ),
    ),
  postgres: (sql, rows) => sql.executeQuery(CompiledQuery.raw(insertText, [JSON.stringify(rows)])),
}
