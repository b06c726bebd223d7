// Adds second factors: passkeys, authenticator apps, backup codes, the challenges of sign-ins and the counts of wrong
// codes; and the rule of a tenant that its members have one. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const secondFactors: Migration = {
  name: '0044-second-factors',
  statements: [
    'alter table users add column second_factor_since INT64',
    'alter table tenants add column require_second_factor INT64 not null default 0',
    `create table passkeys (
      id TEXT primary key,
      user_id TEXT not null references users (id) on delete cascade,
      name TEXT not null,
      credential_id TEXT not null unique,
      public_key TEXT not null,
      counter INT64 not null,
      created_at INT64 not null,
      last_used_at INT64
    )`,
    'create index passkeys_user on passkeys (user_id, created_at, id)',
    `create table totp_secrets (
      user_id TEXT primary key references users (id) on delete cascade,
      ciphertext TEXT not null,
      created_at INT64 not null,
      confirmed_at INT64,
      last_step INT64 not null
    )`,
    `create table backup_codes (
      user_id TEXT not null references users (id) on delete cascade,
      digest TEXT not null,
      primary key (user_id, digest)
    )`,
    `create table code_attempts (
      user_id TEXT primary key references users (id) on delete cascade,
      failures INT64 not null,
      last_at INT64 not null,
      locked_until INT64
    )`,
    `create table sign_in_challenges (
      digest TEXT primary key,
      purpose TEXT not null check (purpose in ('register', 'sign_in', 'second_factor', 'step_up')),
      user_id TEXT references users (id) on delete cascade,
      bound_to TEXT,
      expires_at INT64 not null
    )`,
    'create index sign_in_challenges_expiry on sign_in_challenges (expires_at)',
  ],
}
