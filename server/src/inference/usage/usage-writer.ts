// Writes rows of usage a batch at a time: into the database, or on the store's shelf while that is away. Knows neither who
// waits nor for how long.

import type { Kysely } from 'kysely'
import { dayMs } from '../../domain/day.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Log } from '../../domain/log.ts'
import type { Metrics } from '../../domain/metrics.ts'
import type { UsageShelf } from '../../kv/store.ts'
import { StoreUnavailable } from '../../kv/store.ts'
import { addUsageRows, type UsageRow } from '../../storage/add-usage-rows.ts'
import type { Schema } from '../../storage/schema.ts'
import type { UsageRecord } from './usage-record.ts'

export interface UsageWriterDependencies {
  sql: Kysely<Schema>
  /** Where rows wait for the database besides; null where that is this process, too. */
  shelf: Pick<UsageShelf, 'shelveUsage'> | null
  metrics: Pick<Metrics, 'usageRows'>
  log: Log
}

export interface UsageWriter {
  /** Returns what is neither written nor shelved: it is to be given again. Never throws. */
  write(batch: readonly UsageRecord[]): Promise<readonly UsageRecord[]>
  /** When to come again where the database is away; null where it is there. */
  pauseMs(): number | null
}

const firstPauseMs = 200
const maxPauseMs = 5_000
/** With a shelf, what a killed process could lose is on it within this time all the same. */
const shelvingMs = 100

export function createUsageWriter({ sql, shelf, metrics, log }: UsageWriterDependencies): UsageWriter {
  let failures = 0
  let askAgainAt = 0
  const longerPauseMs = () => Math.min(maxPauseMs, firstPauseMs * 2 ** (failures - 1))

  async function write(batch: readonly UsageRecord[]): Promise<readonly UsageRecord[]> {
    if (failures > 0 && performance.now() < askAgainAt && (await shelve(batch))) return []
    try {
      await addUsageRows(sql, batch.map(toRow))
      metrics.usageRows('written', batch.length)
      failures = 0
      return []
    } catch (error) {
      if (!isOutage(error)) return await writeSingly(batch)
      failures++
      askAgainAt = performance.now() + longerPauseMs()
      log.warn('usage could not be written yet', { count: batch.length, error })
      return (await shelve(batch)) ? [] : batch
    }
  }

  async function shelve(batch: readonly UsageRecord[]): Promise<boolean> {
    if (shelf === null) return false
    try {
      const rows = batch.map(record => ({ requestId: record.requestId, row: JSON.stringify(toRow(record)) }))
      const refused = await shelf.shelveUsage(rows)
      metrics.usageRows('shelved', rows.length - refused)
      metrics.usageRows('dropped', refused)
      if (refused > 0) log.error('usage dropped', { count: refused })
      return true
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) log.error('usage could not be shelved', { error })
      return false
    }
  }

  /** One row that no database takes must not keep all others out. Returns those that an outage kept out. */
  async function writeSingly(batch: readonly UsageRecord[]): Promise<UsageRecord[]> {
    const kept: UsageRecord[] = []
    for (const record of batch) {
      try {
        await addUsageRows(sql, [toRow(record)])
        metrics.usageRows('written', 1)
      } catch (error) {
        if (isOutage(error)) {
          kept.push(record)
          continue
        }
        metrics.usageRows('dropped', 1)
        log.error('usage could not be written', { request_id: record.requestId, error })
      }
    }
    return kept
  }

  return { write, pauseMs: () => (failures === 0 ? null : shelf === null ? longerPauseMs() : shelvingMs) }
}

function isOutage(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'database_unavailable'
}

let lastDay = { number: 0, text: '1970-01-01' }

/** One text for all rows of a day. */
function dayOf(at: number): string {
  const number = Math.floor(at / dayMs)
  if (number !== lastDay.number) lastDay = { number, text: new Date(at).toISOString().slice(0, 10) }
  return lastDay.text
}

function toRow(record: UsageRecord): UsageRow {
  return {
    request_id: record.requestId,
    tenant_id: record.tenantId,
    project_id: record.projectId,
    user_id: record.userId,
    day: dayOf(record.at),
    model: record.model,
    provider: record.provider,
    prompt_tokens: record.promptTokens,
    completion_tokens: record.completionTokens,
    total_tokens: record.totalTokens,
    cached_tokens: record.cachedTokens,
    reasoning_tokens: record.reasoningTokens,
    cost_nanousd: Math.round(record.costUsd * 1e9),
    is_estimated: record.isEstimated ? (1 as const) : (0 as const),
    created_at: record.at,
  }
}
