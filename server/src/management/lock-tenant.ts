// Holds a tenant for the length of a transaction, for what is counted below it. Knows no resource.

import type { Transaction } from 'kysely'
import { Refusal } from '../domain/errors.ts'
import type { Schema } from '../storage/schema.ts'

/** Serialises what is counted over a tenant; SQLite has no FOR UPDATE. Refuses where the tenant was deleted meanwhile. */
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
