// Holds a tenant for the length of a transaction, for what is counted below it. Knows no resource.

import type { Transaction } from 'kysely'
import type { Schema } from '../storage/schema.ts'

/** Serialises what is counted over a tenant; SQLite has no FOR UPDATE. */
export async function lockTenant(trx: Transaction<Schema>, tenantId: string): Promise<void> {
  await trx
    .updateTable('tenants')
    .set(row => ({ name: row.ref('name') }))
    .where('id', '=', tenantId)
    .execute()
}
