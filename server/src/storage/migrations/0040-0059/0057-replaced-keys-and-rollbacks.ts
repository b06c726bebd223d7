// Adds the key that replaced an API key, and the deployment whose settings a rollback made live again. Neither was
// stored before. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const replacedKeysAndRollbacks: Migration = {
  name: '0057-replaced-keys-and-rollbacks',
  statements: [
    'alter table api_keys add column replaced_by TEXT',
    'alter table deployments add column rolled_back_to INT64',
  ],
}
