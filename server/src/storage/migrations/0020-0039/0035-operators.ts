// Adds operators: accounts whose sessions may use the operator's routes, and credentials in place of ADMIN_SECRET. The
// oldest account is the one that the first start created. Older sessions do not say when their user authenticated.
// Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const operators: Migration = {
  name: '0035-operators',
  statements: [
    `create table operators (
      user_id TEXT primary key references users (id) on delete cascade,
      created_at INT64 not null,
      created_by TEXT not null
    )`,
    `insert into operators (user_id, created_at, created_by)
      select id, created_at, 'bootstrap' from users order by created_at, id limit 1`,
    `create table operator_credentials (
      id TEXT primary key,
      name TEXT not null,
      scope TEXT not null check (scope in ('read', 'write')),
      digest TEXT not null unique,
      hint TEXT not null,
      expires_at INT64,
      created_at INT64 not null,
      created_by TEXT not null
    )`,
    'alter table sessions add column authenticated_at INT64',
  ],
}
