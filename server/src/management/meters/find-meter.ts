// The path of a tenant's meter, and the meter of a tenant.

import { Refusal } from '../../domain/errors.ts'
import { findMeter, type MeterRow } from '../../storage/meters/meter-rows.ts'

export const meterPath = '/auth/v1/tenants/:tenantId/meter'

/** Throws if the tenant has no meter. */
export async function getMeter(sql: Parameters<typeof findMeter>[0], tenantId: string): Promise<MeterRow> {
  const meter = await findMeter(sql, tenantId)
  if (meter === null) throw new Refusal('meter_not_found')
  return meter
}
