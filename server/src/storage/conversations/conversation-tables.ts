// The tables of conversations and stored responses, a part of schema.ts.

type Millis = number
type Json = string

export interface ConversationTables {
  /** Persistent conversations; the id is chosen by the client and unique within its project and end user. */
  threads: {
    project_id: string
    user_id: string
    id: string
    title: string
    message_count: number
    retention_days: number | null // resolved by the last write
    created_at: Millis
    updated_at: Millis
  }
  thread_messages: {
    project_id: string
    user_id: string
    thread_id: string
    position: number // from 1, without gaps
    id: string
    role: string
    body: Json
    created_at: Millis
  }
  /** Responses that clients may read again and continue, until they expire. */
  stored_responses: {
    project_id: string
    user_id: string
    id: string
    previous_id: string | null // the response that it continues; it may be gone
    body: Json // as the client got it
    messages: Json // what the request brought, and the answer
    message_count: number
    created_at: Millis
    expires_at: Millis
  }
}
