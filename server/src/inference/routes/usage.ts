// GET /v1/billing/usage: the usage by day, model or user. An end user sees only their own; a service of the project
// sees all users of the project, or the one it names.

import type { Kysely } from 'kysely'
import type { AdmittedCall } from '../../call/admitted-call.ts'
import { readUsageQuery, showUsage } from '../../domain/reports/usage-report.ts'
import { replyJson } from '../../http/reply.ts'
import type { Schema } from '../../storage/schema.ts'
import { listUsage, sumUsage } from '../../storage/usage-rows.ts'
import { findUser, queryOf } from './read-query.ts'

interface UsageReportDependencies {
  sql: Kysely<Schema>
  /** Writes the usage of all answers of this machine so far. */
  writeUsage(): Promise<void>
}

export async function answerUsage({ sql, writeUsage }: UsageReportDependencies, call: AdmittedCall): Promise<void> {
  const { projectId, role, userId } = call.verified
  const { from, to, grouping, page } = readUsageQuery(queryOf(call), projectId)
  const filter = { projectId, userId: findUser(call) ?? (role === 'user' ? userId : null), from, to }
  // A request right after an answer must find it in the totals.
  await writeUsage()
  const rows = await listUsage(sql, filter, grouping, { after: page.after?.[0] ?? null, limit: page.limit + 1 })
  const totals = await sumUsage(sql, filter)
  replyJson(call.response, 200, showUsage({ rows, totals, grouping, page }))
}
