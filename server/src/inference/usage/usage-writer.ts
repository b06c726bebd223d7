// Writes a batch of usage rows into the database, or on the store's shelf while the database is unavailable.

import { writeApart } from '../../collections/write-apart.ts'
import { dayMs } from '../../domain/day.ts'
import type { Log } from '../../domain/log.ts'
import type { Metrics } from '../../domain/metrics.ts'
import { StoreUnavailable } from '../../kv/store.ts'
import type { UsageShelf } from '../../kv/usage-shelf.ts'
import { addUsageRows, type UsageRow, type UsageTarget } from '../../storage/add-usage-rows.ts'
import { isUnavailable } from '../../storage/database-errors.ts'
import type { UsageRecord } from './record-usage.ts'

export interface UsageWriterDependencies extends UsageTarget {
  /** Keeps rows while the database is unavailable; null if the store is in this process. */
  shelf: Pick<UsageShelf, 'shelveUsage'> | null
  metrics: Pick<Metrics, 'usageRows'>
  log: Log
}

export interface UsageWriter {
  /** Returns the rows that must be written again: those neither written nor shelved. Never throws. */
  write(batch: readonly UsageRecord[]): Promise<readonly UsageRecord[]>
  /** The pause before the next batch while the database is unavailable; else null. */
  pauseMs(): number | null
}

const firstPauseMs = 200
const maxPauseMs = 5_000
/** With a shelf, rows reach it this fast, so that a killed process loses at most as much as without an outage. */
const shelvingMs = 100

export function createUsageWriter(dependencies: UsageWriterDependencies): UsageWriter {
  const { shelf, metrics, log } = dependencies
  let failures = 0
  let retryAt = 0
  const longerPauseMs = () => Math.min(maxPauseMs, firstPauseMs * 2 ** (failures - 1))

  async function write(batch: readonly UsageRecord[]): Promise<readonly UsageRecord[]> {
    if (failures > 0 && performance.now() < retryAt && (await shelve(batch))) return []
    try {
      await addUsageRows(dependencies, batch.map(toRow))
      metrics.usageRows('written', batch.length)
      failures = 0
      return []
    } catch (error) {
      if (!isUnavailable(error)) return await writeParts(batch)
      failures++
      retryAt = performance.now() + longerPauseMs()
      log.warn('usage could not be written, retrying', { count: batch.length, error })
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

  /** Returns the rows that failed in an outage. */
  async function writeParts(batch: readonly UsageRecord[]): Promise<UsageRecord[]> {
    return await writeApart(batch, {
      async write(records) {
        await addUsageRows(dependencies, records.map(toRow))
        metrics.usageRows('written', records.length)
      },
      isOutage: isUnavailable,
      onRejected({ requestId }, error) {
        metrics.usageRows('dropped', 1)
        log.error('usage could not be written', { request_id: requestId, error })
      },
    })
  }

  return { write, pauseMs: () => (failures === 0 ? null : shelf === null ? longerPauseMs() : shelvingMs) }
}

let lastDay = { number: 0, text: '1970-01-01' }

/** One string for all rows of a day. */
function dayOf(at: number): string {
  const number = Math.floor(at / dayMs)
  if (number !== lastDay.number) lastDay = { number, text: new Date(at).toISOString().slice(0, 10) }
  return lastDay.text
}

function toRow(record: UsageRecord): UsageRow {
  const day = dayOf(record.at)
  return {
    request_id: record.requestId,
    tenant_id: record.tenantId,
    project_id: record.projectId,
    user_id: record.userId,
    tier: record.tier,
    day,
    model: record.model,
    provider: record.provider,
    endpoint: record.endpoint,
    prompt_tokens: record.promptTokens,
    completion_tokens: record.completionTokens,
    total_tokens: record.totalTokens,
    cached_tokens: record.cachedTokens,
    reasoning_tokens: record.reasoningTokens,
    cost_nanousd: record.cost,
    is_estimated: record.isEstimated ? (1 as const) : (0 as const),
    created_at: record.at,
    budget_day: record.budgetDay === day ? null : record.budgetDay,
    platform_day: record.platform?.day ?? null,
    platform_nanousd: record.platform?.cost ?? null,
  }
}
