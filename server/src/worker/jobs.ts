// All jobs of the worker.

import type { SecretBox } from '../crypto/secrets/secret-box.ts'
import type { UsageShelf } from '../kv/usage-shelf.ts'
import { deleteOldRows } from './delete-old-rows.ts'
import { deleteOldThreads } from './delete-old-threads.ts'
import { drainEvents } from './drain-events.ts'
import { eraseDeleted } from './erase-deleted.ts'
import { eraseEndUsers } from './erase-end-users.ts'
import type { Job } from './job.ts'
import { type Provisioning, provisionHosts } from './provision-hosts.ts'
import { reportEventDrops } from './report-event-drops.ts'
import { rewrapProviderKeys } from './rewrap-provider-keys.ts'
import { sweepReservations } from './sweep-reservations.ts'
import { syncKeySets } from './sync-key-sets.ts'
import { syncStores } from './sync-stores.ts'
import { writeShelvedUsage } from './write-shelved-usage.ts'

interface JobSettings {
  syncIntervalMs: number
  tokens: { keyId: string; previousKeys: ReadonlyArray<{ kid: string }> }
}

export function allJobs(
  { syncIntervalMs, tokens }: JobSettings,
  secretBox: SecretBox,
  provisioning: Provisioning,
  shelf: UsageShelf | null,
): Job[] {
  const ownKids = new Set([tokens.keyId, ...tokens.previousKeys.map(key => key.kid)])
  return [
    syncStores(syncIntervalMs),
    syncKeySets(syncIntervalMs, ownKids),
    rewrapProviderKeys(secretBox, syncIntervalMs),
    provisionHosts(provisioning),
    sweepReservations,
    ...(shelf === null ? [] : [writeShelvedUsage(shelf)]),
    drainEvents,
    reportEventDrops(syncIntervalMs),
    deleteOldThreads,
    eraseDeleted(syncIntervalMs),
    eraseEndUsers,
    deleteOldRows,
  ]
}
