// Reads from the usage rows what was spent of a call's budgets: for counters that the store does not have, and while
// the store is unavailable. While the database is unavailable too, the last known number is used.

import type { Kysely } from 'kysely'
import type { BudgetCounter } from '../../domain/budgets/budget.ts'
import type { Verified } from '../../domain/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Log } from '../../domain/log.ts'
import type { NanoUsd } from '../../domain/money.ts'
import { sparseLogOf } from '../../log/sparse-log.ts'
import { projectOfUserScope, tenantScope } from '../../storage/budgets/budget-scopes.ts'
import { sumSpent } from '../../storage/budgets/spent.ts'
import type { Schema } from '../../storage/schema.ts'

export interface SpentReader {
  /** Joins a read in progress, or takes one that began within the last `maxAgeMs`. */
  read(caller: Verified, counter: BudgetCounter, maxAgeMs: number): Promise<NanoUsd>
  /** What the store says of a counter. */
  note(tenantId: string, counter: BudgetCounter, spent: NanoUsd): void
}

interface SpentReaderDependencies {
  /** What the database says was spent. */
  sum(caller: Verified, counter: BudgetCounter): Promise<NanoUsd>
  /** Writes the usage of this process's answers to the database. */
  writeUsage(): Promise<void>
  now: () => number
  log: Log
}

interface Known {
  spent: NanoUsd
  /** Null after it. */
  reading: Promise<NanoUsd> | null
  beganAt: number
}

/** Beyond this all are dropped. */
const maxKnown = 100_000

export function createSpentReader({ sum, writeUsage, now, log }: SpentReaderDependencies): SpentReader {
  const known = new Map<string, Known>()

  function entryOf(tenantId: string, { period, scope }: BudgetCounter): Known {
    const key = `${tenantId} ${period} ${scope}`
    const found = known.get(key)
    if (found !== undefined) return found
    if (known.size >= maxKnown) known.clear()
    const made = { spent: 0, reading: null, beganAt: Number.NEGATIVE_INFINITY }
    known.set(key, made)
    return made
  }

  async function readOnce(caller: Verified, counter: BudgetCounter, entry: Known) {
    try {
      await writeUsage()
      entry.spent = Math.max(0, await sum(caller, counter))
    } catch (error) {
      // Any other error would hide what was spent.
      if (!(error instanceof Refusal && error.code === 'database_unavailable')) throw error
      sparseLogOf(log).warn('spending of budgets could not be read from the database', '', {
        tenant_id: caller.tenantId,
        error,
      })
    } finally {
      entry.reading = null
    }
    return entry.spent
  }

  return {
    async read(caller, counter, maxAgeMs) {
      const entry = entryOf(caller.tenantId, counter)
      if (entry.reading !== null) return await entry.reading
      if (now() - entry.beganAt < maxAgeMs) return entry.spent
      entry.beganAt = now()
      entry.reading = readOnce(caller, counter, entry)
      return await entry.reading
    },
    note(tenantId, counter, spent) {
      entryOf(tenantId, counter).spent = spent
    },
  }
}

/** What was spent of a budget of the caller. */
export async function sumOfCaller(
  sql: Kysely<Schema>,
  { tenantId, projectId, userId }: Verified,
  { scope, period }: BudgetCounter,
): Promise<NanoUsd> {
  const isOfUser = projectOfUserScope(scope) !== null
  const spender = { tenantId, projectId: scope === tenantScope ? null : projectId, userId: isOfUser ? userId : null }
  return await sumSpent(sql, spender, period)
}
