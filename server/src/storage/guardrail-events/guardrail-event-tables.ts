// The tables of guardrail events.

type Millis = number
type Json = string

export interface GuardrailEventTables {
  /** One row per guardrail, type and request. */
  guardrail_events: {
    tenant_id: string
    id: string // its first 48 bits are the time
    project_id: string
    type: string
    direction: string
    mode: string
    action_taken: string
    entity_types: Json | null
    entity_count: number | null
    pattern_family: string | null
    term_count: number | null
    request_id: string
    timestamp: string // Unix seconds as received
    happened_at: Millis
    uid: string | null // null for our own services, for erased users, and in events that are older than the column
    user_hash: string | null
    score: string | null // of jailbreaks; null if they are older than the column
    source: string | null // of Sentinel's events; null if they are older than the column
    variable: string | null // of Sentinel's events: the variable of a prompt that the text was given for
  }
  /** Counts each tenant's events, and those deleted in favour of newer ones; written with them. */
  guardrail_event_counts: {
    tenant_id: string
    held: number
    capped: number
  }
}
