// Adds what people need to know of an API key: its last characters, who created it, when it was used and when it ends.
// Keys that exist already have no hint and no creator: neither was stored. Applied migrations never change: add
// another.
import type { Migration } from '../../migrate.ts'

export const apiKeyFacts: Migration = {
  name: '0032-api-key-facts',
  statements: [
    'alter table api_keys add column hint TEXT',
    'alter table api_keys add column created_by TEXT',
    'alter table api_keys add column last_used_at INT64',
    'alter table api_keys add column expires_at INT64',
  ],
}
