// Adds a factor to an account. With the first one, all other sessions end: they began without it.

import type { Transaction } from 'kysely'
import type { AuthenticatedBy } from '../../domain/access/authentications.ts'
import { lockAccount, noteFactorAdded } from '../../storage/factors/account-factors.ts'
import type { Schema } from '../../storage/schema.ts'
import { endOtherSessions } from '../people/own-sessions.ts'
import type { Caller } from '../plane/caller.ts'

interface Addition {
  caller: Caller
  by: AuthenticatedBy
  now: number
}

/** The session that adds a factor has proven it just now. */
export async function addFactor<T>(
  trx: Transaction<Schema>,
  { caller, by, now }: Addition,
  add: () => Promise<T>,
): Promise<T> {
  await lockAccount(trx, caller.userId)
  const added = await add()
  if (await noteFactorAdded(trx, caller.userId, now)) await endOtherSessions(trx, caller)
  await trx
    .updateTable('sessions')
    .set({ authenticated_by: by })
    .where('token_digest', '=', caller.session?.digest ?? '')
    .execute()
  return added
}
