// Blocks end users and revokes their tokens. Each change raises the revision of the project's restrictions.

import type { Kysely, Selectable, Transaction } from 'kysely'
import { Refusal } from '../../domain/errors.ts'
import { raiseRevision, restrictionRevision } from '../projections.ts'
import type { Schema } from '../schema.ts'
import { transact } from '../transact.ts'

export interface EndUserKey {
  projectId: string
  userId: string
}

type RestrictionRow = Selectable<Schema['end_user_restrictions']>
type RestrictionValues = Omit<RestrictionRow, 'project_id' | 'user_id'>

/** The restrictions of a project are one document, which every replica holds in memory. */
const maxRestricted = 100_000
const unrestricted: RestrictionValues = { blocked_at: null, block_reason: null, tokens_revoked_before: null }

export async function findRestrictionRow(
  sql: Pick<Kysely<Schema>, 'selectFrom'>,
  { projectId, userId }: EndUserKey,
): Promise<RestrictionRow | undefined> {
  return await sql
    .selectFrom('end_user_restrictions')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

/** Blocks the end user. A user who is already blocked keeps the time of the block and gets the new reason. */
export function blockEndUser(sql: Kysely<Schema>, user: EndUserKey, reason: string | null, now: number) {
  return change(sql, user, known => ({ ...known, blocked_at: known.blocked_at ?? now, block_reason: reason }))
}

export function unblockEndUser(sql: Kysely<Schema>, user: EndUserKey) {
  return change(sql, user, known => ({ ...known, blocked_at: null, block_reason: null }))
}

/** Revokes the tokens issued in this second or before. An earlier time never replaces a later one. */
export function revokeTokens(sql: Kysely<Schema>, user: EndUserKey, seconds: number) {
  return change(sql, user, known => ({
    ...known,
    tokens_revoked_before: Math.max(known.tokens_revoked_before ?? 0, seconds),
  }))
}

async function change(
  sql: Kysely<Schema>,
  user: EndUserKey,
  changed: (known: RestrictionValues) => RestrictionValues,
): Promise<RestrictionValues> {
  const key = { project_id: user.projectId, user_id: user.userId }
  return await transact(sql, async trx => {
    // First, so that concurrent changes of one project wait for each other.
    await raiseRevision(trx, restrictionRevision(user.projectId))
    const known = await findRestrictionRow(trx, user)
    const { blocked_at, block_reason, tokens_revoked_before } = changed(known ?? unrestricted)
    const values = { blocked_at, block_reason, tokens_revoked_before }
    if (blocked_at === null && tokens_revoked_before === null) {
      await trx
        .deleteFrom('end_user_restrictions')
        .where('project_id', '=', key.project_id)
        .where('user_id', '=', key.user_id)
        .execute()
      return values
    }
    if (known === undefined) await refuseAnother(trx, user.projectId)
    await trx
      .insertInto('end_user_restrictions')
      .values({ ...key, ...values })
      .onConflict(conflict => conflict.columns(['project_id', 'user_id']).doUpdateSet(values))
      .execute()
    // A restricted user is listed even if never seen.
    await trx
      .insertInto('end_users')
      .values({ ...key, first_seen_at: null, last_seen_at: null })
      .onConflict(conflict => conflict.columns(['project_id', 'user_id']).doNothing())
      .execute()
    return values
  })
}

async function refuseAnother(trx: Transaction<Schema>, projectId: string): Promise<void> {
  const { count } = await trx
    .selectFrom('end_user_restrictions')
    .select(row => row.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow()
  if (Number(count) >= maxRestricted) throw new Refusal('too_many_restricted')
}
