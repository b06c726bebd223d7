// The tables of end users, a part of schema.ts. Project ids are not foreign keys here, because usage rows may
// arrive late.

type Millis = number

export interface EndUserTables {
  /** Users who made a request that cost tokens, or were restricted. Never our own services. */
  end_users: {
    project_id: string
    user_id: string
    first_seen_at: Millis | null // null until the first request
    last_seen_at: Millis | null
  }
  end_user_restrictions: {
    project_id: string
    user_id: string
    blocked_at: Millis | null
    block_reason: string | null
    tokens_revoked_before: number | null // Unix seconds, inclusive
  }
  /** Users whom the worker has yet to erase. */
  end_user_erasures: {
    project_id: string
    user_id: string
    requested_at: Millis
  }
}
