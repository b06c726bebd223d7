// Adds the secrets of attestations. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const attestationSecrets: Migration = {
  name: '0042-attestation-secrets',
  statements: [
    `create table attestation_secrets (
      project_id TEXT not null references projects (id),
      kind TEXT not null,
      id TEXT not null unique,
      ciphertext TEXT not null,
      set_at INT64 not null,
      primary key (project_id, kind)
    )`,
  ],
}
