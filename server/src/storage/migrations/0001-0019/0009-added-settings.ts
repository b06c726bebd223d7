// One column for all settings added from here on, so that a new field needs no migration. A row older than a field has
// its default. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const addedSettings: Migration = {
  name: '0009-added-settings',
  statements: ["alter table settings add column added_settings TEXT not null default '{}'"],
}
