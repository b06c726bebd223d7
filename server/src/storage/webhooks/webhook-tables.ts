// The tables of tenants' events and webhooks, a part of schema.ts.

import type { DeliveryStatus } from '../../domain/webhooks/delivery-schedule.ts'

type Flag = 0 | 1
type Millis = number
type Json = string

export interface WebhookTables {
  /** Written in the transaction that makes the event true; kept for 30 days. */
  tenant_events: {
    tenant_id: string
    id: string // its first 48 bits are the time
    project_id: string | null
    type: string
    data: Json
    created_at: Millis
  }
  webhooks: {
    id: string
    tenant_id: string
    project_id: string | null // whose events alone it gets; null for those of the whole tenant
    url: string
    types: Json | null // null for all types
    ciphertext: string // the secret, and after a rotation the previous one behind it
    previous_until: Millis | null // until then, the previous secret signs too
    created_at: Millis
    due_at: Millis | null // when its next delivery is due; null without a pending one
    is_slow: Flag // whether its last attempts failed or took long
    claim: string | null
    claimed_until: Millis
  }
  /** One row per event and webhook, with the body as it is sent; kept for 30 days. */
  webhook_deliveries: {
    tenant_id: string
    webhook_id: string
    id: string // its first 48 bits are the time
    type: string
    body: Json
    status: DeliveryStatus
    attempts: number
    last_status: number | null // HTTP status of the last attempt's response, null without one
    next_attempt_at: Millis
    created_at: Millis
  }
}
