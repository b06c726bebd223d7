// Withdraws the invitations and reset links of a tenant once somebody loses the permission to make them.

import type { Transaction } from 'kysely'
import type { Schema } from '../../storage/schema.ts'
import { openInvitations } from './invitations.ts'
import { withdrawResetLinks } from './passwords.ts'

/** Who managed members before may have seen the open links, and could regain access through them. */
export async function withdrawLinks(trx: Transaction<Schema>, tenantId: string): Promise<void> {
  await openInvitations(trx, tenantId).execute()
  await withdrawResetLinks(trx, tenantId)
}
