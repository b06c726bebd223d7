// The tables of meters, a part of schema.ts.

import type { MeterEventState, MeterFormat, MeterSubject, MeterValue } from '../../domain/meters/meter.ts'

type Flag = 0 | 1
type Millis = number

export interface MeterTables {
  /** At most one for each tenant that is not deleted. */
  meters: {
    id: string
    tenant_id: string
    format: MeterFormat
    url: string
    ciphertext: string // the secret box's envelope
    signs: Flag // whether the secret signs the requests
    event_name: string
    value: MeterValue
    subject: MeterSubject
    created_at: Millis // requests that were settled before are not sent
    updated_at: Millis
    deleted_at: Millis | null // set while the worker still deletes its events
    sent: number
    dropped: number // events whose usage row was deleted before they were sent
    last_sent_at: Millis | null
    last_status: number | null // HTTP status of the last attempt that failed; null without a response
    last_error: string | null
    last_error_at: Millis | null
    failures: number // attempts since the last success that found the receiver unavailable
    retry_at: Millis
    is_slow: Flag // whether the last attempt failed or took long
    claim: string | null
    claimed_until: Millis
  }
  /** The customers of subjects. */
  meter_subjects: {
    tenant_id: string
    meter_id: string
    subject: string
    customer: string
  }
  /** One row for each request that is to be sent. What is sent is read from its usage row. */
  meter_events: {
    tenant_id: string
    meter_id: string
    request_id: string
    state: MeterEventState
    attempts: number // rejected ones
    due_at: Millis // when its request was settled; of a rejected one, when to try again
    created_at: Millis // when its request was settled
  }
}
