// Locks a tenant for a transaction, so that what the transaction counts below the tenant stays true until its end.

import type { Transaction } from 'kysely'
import { Refusal } from '../domain/errors.ts'
import type { Schema } from '../storage/schema.ts'

/** Updates the row without changing it, because SQLite has no FOR UPDATE. Throws if the tenant has been deleted. */
export async function lockTenant(trx: Transaction<Schema>, tenantId: string): Promise<void> {
  const tenant = await trx
    .updateTable('tenants')
    .set(row => ({ name: row.ref('name') }))
    .where('id', '=', tenantId)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (tenant === undefined) throw new Refusal('tenant_not_found')
}
