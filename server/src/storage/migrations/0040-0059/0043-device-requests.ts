// Adds the requests of programs that ask to be signed in by somebody with a browser. Applied migrations never change:
// add another.
import type { Migration } from '../../migrate.ts'

export const deviceRequests: Migration = {
  name: '0043-device-requests',
  statements: [
    `create table device_requests (
      device_digest TEXT primary key,
      user_code_digest TEXT not null unique,
      client TEXT not null,
      address TEXT not null,
      created_at INT64 not null,
      expires_at INT64 not null,
      polled_at INT64,
      state TEXT not null,
      session_digest TEXT
    )`,
    'create index device_requests_expiry on device_requests (expires_at)',
  ],
}
