// Reads what is left of a project's day from the usage rows of the database, if the store has reported nothing today:
// for example in a replica that gets its first request of the project during an outage. Usage that has not reached the
// database yet is not counted.

import type { Kysely } from 'kysely'
import { dayMs } from '../../domain/day.ts'
import type { Log } from '../../domain/log.ts'
import { retryMs } from '../../kv/projected-document.ts'
import { sparseLogOf } from '../../log/sparse-log.ts'
import type { Schema } from '../../storage/schema.ts'
import { findSpend } from '../../storage/usage-rows.ts'
import type { TallyOf } from '../admission/project-tally.ts'
import type { ProjectConfig } from '../project-config.ts'

interface BudgetReaderDependencies {
  sql: Kysely<Schema>
  tallyOf: TallyOf
  now: () => number
  log: Log
}

export interface BudgetReader {
  /** Leaves the tally unchanged if the database is unreachable. */
  read(config: ProjectConfig): Promise<void>
}

export function createBudgetReader({ sql, tallyOf, now, log }: BudgetReaderDependencies): BudgetReader {
  const readings = new Map<string, Promise<void>>()
  /** When a read last failed: for `retryMs` after it no project is read, and each uses its share of the whole day. */
  let failedAt = Number.NEGATIVE_INFINITY

  async function readSpend({ project: { projectId }, live }: ProjectConfig, day: number): Promise<void> {
    try {
      const spent = await findSpend(sql, projectId, new Date(day * dayMs).toISOString().slice(0, 10))
      // The store may have reported meanwhile, and its number is more exact.
      const tally = tallyOf(projectId)
      if (tally.remainingOn(day) === null) tally.write(day, live.settings.tokens_per_day - spent)
    } catch (error) {
      failedAt = now()
      const fields = { project_id: projectId, error }
      sparseLogOf(log).warn('tokens of the day could not be read from the database', '', fields)
    }
  }

  return {
    async read(config) {
      const { projectId } = config.project
      const day = Math.floor(now() / dayMs)
      if (tallyOf(projectId).remainingOn(day) !== null || now() - failedAt < retryMs) return
      const running = readings.get(projectId)
      if (running !== undefined) return await running
      const reading = readSpend(config, day).finally(() => readings.delete(projectId))
      readings.set(projectId, reading)
      await reading
    },
  }
}
