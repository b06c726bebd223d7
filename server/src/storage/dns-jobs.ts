// The queue of host names to register or remove. Any replica may claim a row; a claim expires if the replica dies, and
// nothing may be written under an expired claim.
import type { Kysely, Transaction } from 'kysely'
import type { Schema } from './schema.ts'
import { transact } from './transact.ts'

type Database = Kysely<Schema>

export interface DnsJob {
  projectId: string
  revision: number
  tries: number
  firstTriedAt: number | null
  claim: string
}

/** Queues a project's names to be changed to what its status requires; a run in progress finishes and starts again. */
export async function enqueueDnsJob(trx: Transaction<Schema>, projectId: string, time: number): Promise<void> {
  const fresh = { tries: 0, first_tried_at: null, next_try_at: time }
  await trx
    .insertInto('dns_jobs')
    .values({ project_id: projectId, revision: 1, ...fresh, claim: null, claimed_until: 0 })
    .onConflict(conflict =>
      conflict.column('project_id').doUpdateSet(row => ({ revision: row('dns_jobs.revision', '+', 1), ...fresh })),
    )
    .execute()
}

/**
 * Queues ready projects whose names point to another target for another registration, while fewer jobs than the
 * maximum wait. Returns whether there may be more of them.
 */
export async function enqueueRenewals(
  sql: Database,
  madeFor: string,
  time: number,
  maxWaiting: number,
): Promise<boolean> {
  const { waiting } = await sql
    .selectFrom('dns_jobs')
    .select(({ fn }) => fn.countAll<number | string>().as('waiting'))
    .executeTakeFirstOrThrow()
  const limit = maxWaiting - Number(waiting)
  if (limit <= 0) return true
  const found = await sql
    .selectFrom('projects')
    .select('id')
    .where('status', '=', 'active')
    .where('dns_status', '=', 'READY')
    .where(({ or, eb }) => or([eb('dns_made_for', 'is', null), eb('dns_made_for', '!=', madeFor)]))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('dns_jobs').select('project_id').whereRef('project_id', '=', 'projects.id'))),
    )
    .orderBy('id')
    .limit(limit)
    .execute()
  if (found.length === 0) return false
  const fresh = { revision: 1, tries: 0, first_tried_at: null, next_try_at: time, claim: null, claimed_until: 0 }
  await sql
    .insertInto('dns_jobs')
    .values(found.map(({ id }) => ({ project_id: id, ...fresh })))
    .onConflict(conflict => conflict.column('project_id').doNothing())
    .execute()
  return true
}

interface Claiming {
  claim: string
  time: number
  claimMs: number
  limit: number
}

/** Claims rows that are due and unclaimed, those that wait longest first. One read if there are none. */
export async function claimDnsJobs(sql: Database, { claim, time, claimMs, limit }: Claiming): Promise<DnsJob[]> {
  const due = await sql
    .selectFrom('dns_jobs')
    .select('project_id')
    .where('next_try_at', '<=', time)
    .where('claimed_until', '<=', time)
    .orderBy('next_try_at')
    .limit(limit)
    .execute()
  if (due.length === 0) return []
  const ids = due.map(row => row.project_id)
  const claimed = await transact(sql, trx =>
    trx
      .updateTable('dns_jobs')
      .set({ claim, claimed_until: time + claimMs })
      .where('project_id', 'in', ids)
      .where('next_try_at', '<=', time)
      .where('claimed_until', '<=', time)
      .returning(['project_id', 'revision', 'tries', 'first_tried_at'])
      .execute(),
  )
  return claimed.map(row => ({
    projectId: row.project_id,
    revision: row.revision,
    tries: row.tries,
    firstTriedAt: row.first_tried_at,
    claim,
  }))
}

/** Extends the claim. Returns false if it has expired or another state was requested: the caller must stop. */
export async function holdDnsJob(sql: Database, job: DnsJob, until: number): Promise<boolean> {
  const held = await sql
    .updateTable('dns_jobs')
    .set({ claimed_until: until, tries: job.tries, first_tried_at: job.firstTriedAt })
    .where('project_id', '=', job.projectId)
    .where('claim', '=', job.claim)
    .where('revision', '=', job.revision)
    .returning('project_id')
    .executeTakeFirst()
  return held !== undefined
}

/** Releases the row until that time, or at once if another state was requested meanwhile. */
export async function releaseDnsJob(sql: Database, job: DnsJob, nextTryAt: number): Promise<void> {
  await sql
    .updateTable('dns_jobs')
    .set(row => ({
      claim: null,
      claimed_until: 0,
      tries: row.case().when('revision', '=', job.revision).then(job.tries).else(row.ref('tries')).end(),
      next_try_at: row.case().when('revision', '=', job.revision).then(nextTryAt).else(row.ref('next_try_at')).end(),
    }))
    .where('project_id', '=', job.projectId)
    .where('claim', '=', job.claim)
    .execute()
}

export type DnsOutcome =
  | { dns_status: 'READY'; dns_last_error: null; dns_made_for: string | null }
  | { dns_status: 'FAILED'; dns_last_error: string }

/**
 * Ends the job. Work under an expired claim, or towards a state that is no longer requested, may have undone another
 * replica's: then the row stays, or is created again, for one more run.
 */
export async function finishDnsJob(
  sql: Database,
  job: DnsJob,
  outcome: DnsOutcome | null,
  time: number,
): Promise<void> {
  await transact(sql, async trx => {
    // The project first: every writer of both locks them in this order.
    if (outcome !== null) await noteOutcome(trx, job, { ...outcome, dns_updated_at: time })
    const ended = await trx
      .deleteFrom('dns_jobs')
      .where('project_id', '=', job.projectId)
      .where('claim', '=', job.claim)
      .where('revision', '=', job.revision)
      .returning('project_id')
      .executeTakeFirst()
    if (ended !== undefined) return
    await enqueueDnsJob(trx, job.projectId, time)
    await trx
      .updateTable('dns_jobs')
      .set({ claim: null, claimed_until: 0 })
      .where('project_id', '=', job.projectId)
      .where('claim', '=', job.claim)
      .execute()
  })
}

type Noted = Partial<Pick<Schema['projects'], 'dns_status' | 'dns_made_for'>> &
  Pick<Schema['projects'], 'dns_last_error' | 'dns_updated_at'>

/** Writes only under the job's claim, and only while the project waits for it or is being registered again. */
export async function noteOutcome(sql: Pick<Database, 'updateTable'>, job: DnsJob, noted: Noted): Promise<void> {
  await sql
    .updateTable('projects')
    .set(noted)
    .where('id', '=', job.projectId)
    .where('status', '=', 'active')
    .where('dns_status', 'in', noted.dns_status === 'READY' ? ['PENDING', 'READY'] : ['PENDING'])
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('dns_jobs')
          .select('project_id')
          .where('project_id', '=', job.projectId)
          .where('claim', '=', job.claim),
      ),
    )
    .execute()
}

export async function getHostFacts(sql: Database, projectId: string) {
  return await sql
    .selectFrom('projects')
    .select(['slug', 'status', 'dns_status'])
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow()
}
