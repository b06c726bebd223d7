// All jobs of the worker.

import type { SigningKey } from '../crypto/keys/signing-key.ts'
import type { SecretBox } from '../crypto/secrets/secret-box.ts'
import type { UsageShelf } from '../kv/usage-shelf.ts'
import type { RequestLogDays } from '../storage/request-log/request-days.ts'
import { buildLateIndexes } from './build-late-indexes.ts'
import { closeUsageDays } from './close-usage-days.ts'
import { deleteOldRows } from './delete-old-rows.ts'
import { deleteOldThreads } from './delete-old-threads.ts'
import { drainEvents } from './drain-events.ts'
import { eraseDeleted } from './erase-deleted.ts'
import { eraseEndUsers } from './erase-end-users.ts'
import type { Job } from './job.ts'
import { keepAudit } from './keep-audit.ts'
import { deleteMeterEvents, queueMeterEvents } from './meters/queue-meter-events.ts'
import { rewrapMeterSecrets } from './meters/rewrap-meter-secrets.ts'
import { type MeterSending, sendMeterEvents } from './meters/send-meter-events.ts'
import { type Provisioning, provisionHosts } from './provision-hosts.ts'
import { raiseBudgetSpend } from './raise-budget-spend.ts'
import { reportEventDrops } from './report-event-drops.ts'
import { keepRequestDays } from './request-log/keep-request-days.ts'
import { moveSumsOfEarlierReplicas } from './request-log/move-earlier-sums.ts'
import { watchRequests } from './request-log/watch-requests.ts'
import { rewrapAttestationSecrets } from './secrets/rewrap-attestation-secrets.ts'
import { rewrapProviderKeys } from './secrets/rewrap-provider-keys.ts'
import { rewrapSsoSecrets } from './secrets/rewrap-sso-secrets.ts'
import { rewrapTotpSecrets } from './secrets/rewrap-totp-secrets.ts'
import { type Rechecking, recheckSessions } from './sso/recheck-sessions.ts'
import { sweepReservations } from './sweep-reservations.ts'
import { syncKeySets } from './sync-key-sets.ts'
import { syncStores } from './sync-stores.ts'
import { type Delivering, deliverWebhooks } from './webhooks/deliver-webhooks.ts'
import { rewrapWebhookSecrets } from './webhooks/rewrap-webhook-secrets.ts'
import { writeShelvedUsage } from './write-shelved-usage.ts'

interface JobSettings {
  auditDays: number
  syncIntervalMs: number
  tokens: { keyId: string; previousKeys: ReadonlyArray<{ kid: string }> }
  singleSignOn: Rechecking['installation']
}

/** What only some jobs need. */
interface JobDependencies {
  secretBox: SecretBox
  requestLog: RequestLogDays
  signingKey: SigningKey
  provisioning: Provisioning
  shelf: UsageShelf | null
  delivering: Delivering
  meterSending: MeterSending
}

export function allJobs(
  { auditDays, syncIntervalMs, tokens, singleSignOn }: JobSettings,
  { secretBox, signingKey, requestLog, provisioning, shelf, delivering, meterSending }: JobDependencies,
): Job[] {
  const ownKids = new Set([tokens.keyId, ...tokens.previousKeys.map(key => key.kid)])
  return [
    syncStores(syncIntervalMs),
    syncKeySets(syncIntervalMs, ownKids),
    rewrapProviderKeys(secretBox, syncIntervalMs),
    rewrapWebhookSecrets(secretBox, syncIntervalMs),
    rewrapMeterSecrets(secretBox, syncIntervalMs),
    rewrapAttestationSecrets(secretBox, syncIntervalMs),
    rewrapTotpSecrets(secretBox, syncIntervalMs),
    ...rewrapSsoSecrets(secretBox, syncIntervalMs),
    recheckSessions({ secretBox, installation: singleSignOn }, syncIntervalMs),
    provisionHosts(provisioning),
    deliverWebhooks(delivering),
    queueMeterEvents,
    sendMeterEvents(meterSending),
    deleteMeterEvents(meterSending.metrics),
    sweepReservations,
    raiseBudgetSpend,
    ...(shelf === null ? [] : [writeShelvedUsage(shelf)]),
    closeUsageDays(shelf),
    buildLateIndexes,
    drainEvents,
    reportEventDrops(syncIntervalMs),
    deleteOldThreads,
    eraseDeleted(syncIntervalMs, requestLog),
    eraseEndUsers(requestLog),
    keepRequestDays(requestLog),
    moveSumsOfEarlierReplicas(requestLog),
    watchRequests(requestLog.requestDays),
    deleteOldRows,
    keepAudit(signingKey, auditDays, syncIntervalMs),
  ]
}
