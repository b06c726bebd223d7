// Writes rows of the request log: one statement for a batch of a day, with one parameter, so that the main thread only
// makes a text. A row that is there already stays as it is.

import { CompiledQuery } from 'kysely'
import { latencyRangeOf, type RequestRecord } from '../../domain/requests/request-record.ts'
import type { Dialect } from '../migrate.ts'
import { fileStatements } from './file-statements.ts'
import { dayOf, type RequestDays } from './request-days.ts'
import { requestColumns } from './request-tables.ts'
import { withSums } from './sums/sum-columns.ts'
import { timelineText } from './timeline-text.ts'

type Values = readonly (string | number | null)[]

interface RequestWriter {
  /** Returns how many rows of earlier batches could not be entered: SQLite enters them later. */
  write(batch: readonly RequestRecord[]): Promise<number>
}

export function createRequestWriter(days: RequestDays): RequestWriter {
  /** Days whose storage was created by this process. */
  const created = new Set<string>()

  async function writeDay(day: string, rows: readonly Values[]): Promise<number> {
    if (!created.has(day)) {
      await days.create(day)
      created.add(day)
    }
    try {
      const statement = CompiledQuery.raw(inserts[days.dialect], [JSON.stringify(rows)])
      const { rows: found } = await days.of(day).executeQuery<{ dropped?: number }>(statement)
      return Number(found[0]?.dropped ?? 0)
    } catch (error) {
      // Its storage may have been dropped: the next try creates it.
      created.delete(day)
      throw error
    }
  }

  return {
    async write(batch) {
      const byDay = Map.groupBy(batch, ({ at }) => dayOf(at))
      let dropped = 0
      for (const [day, records] of byDay) dropped += await writeDay(day, records.map(valuesOf))
      return dropped
    },
  }
}

/** In the order of `requestColumns`. */
export function valuesOf(record: RequestRecord): Values {
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
    timeline.length === 0 ? null : timelineText(timeline),
    null,
    null,
    record.promptName,
    record.promptVersion,
    record.firstTokenMs === null ? null : latencyRangeOf(record.firstTokenMs),
    record.agentSessionId,
    record.agentId,
    record.exceeded?.level ?? null,
    record.exceeded?.period ?? null,
  ]
}

const names = Object.keys(requestColumns).join(', ')

const casts = { text: '', int: '::bigint', float: '::double precision' } as const

const inserts: Record<Dialect, string> = {
  sqlite: fileStatements.keep,
  postgres: withSums(
    `insert into requests (${names}) select ${Object.values(requestColumns)
      .map((type, index) => `(value ->> ${index})${casts[type]}`)
      .join(', ')} from json_array_elements($1::json) on conflict do nothing`,
  ),
}
