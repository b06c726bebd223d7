// What is left of a project's day where the store has said nothing of it today, as in a copy that first hears of the project while
// the store is away: by the usage rows of the database. What they do not say yet nobody can know.

import type { Kysely } from 'kysely'
import { dayMs } from '../../domain/day.ts'
import type { Log } from '../../domain/log.ts'
import { retryMs } from '../../kv/projected-document.ts'
import { sparseLogOf } from '../../log/sparse-log.ts'
import type { Schema } from '../../storage/schema.ts'
import { findSpend } from '../../storage/usage-rows.ts'
import type { ProjectConfig } from '../project-config.ts'
import type { TallyOf } from './project-tally.ts'

interface BudgetReaderParts {
  sql: Kysely<Schema>
  tallyOf: TallyOf
  now: () => number
  log: Log
}

export interface BudgetReader {
  /** Leaves the tally as it is where the database cannot be asked. */
  read(config: ProjectConfig): Promise<void>
}

export function createBudgetReader({ sql, tallyOf, now, log }: BudgetReaderParts): BudgetReader {
  const readings = new Map<string, Promise<void>>()
  /** Whichever project asked: for a while all go on with their share of the whole day. */
  let failedAt = Number.NEGATIVE_INFINITY

  async function ask({ project: { projectId }, live }: ProjectConfig, day: number): Promise<void> {
    try {
      const spent = await findSpend(sql, projectId, new Date(day * dayMs).toISOString().slice(0, 10))
      // The store may have spoken meanwhile, and knows better.
      const tally = tallyOf(projectId)
      if (tally.remainingOn(day) === null) tally.write(day, live.settings.tokens_per_day - spent)
    } catch (error) {
      failedAt = now()
      const fields = { project_id: projectId, error }
      sparseLogOf(log).warn('tokens of the day not to be had from the database', '', fields)
    }
  }

  return {
    async read(config) {
      const { projectId } = config.project
      const day = Math.floor(now() / dayMs)
      if (tallyOf(projectId).remainingOn(day) !== null || now() - failedAt < retryMs) return
      const running = readings.get(projectId)
      if (running !== undefined) return await running
      const reading = ask(config, day).finally(() => readings.delete(projectId))
      readings.set(projectId, reading)
      await reading
    },
  }
}
