// Delivers the events of tenants to their webhooks. Every replica claims webhooks with due deliveries; a few deliveries
// of each are sent at a time, so that a slow receiver delays no other. A delivery is sent at least once: again after a
// failure, and after a replica died before it recorded the response.
import { SealedSecretError, type SecretBox } from '../../crypto/secrets/secret-box.ts'
import { webhookSecretContext } from '../../crypto/secrets/webhook-signature.ts'
import type { Metrics } from '../../domain/metrics.ts'
import { nextAttemptAt } from '../../domain/webhooks/delivery-schedule.ts'
import { isAccepted } from '../../outbound/post.ts'
import {
  type AttemptOutcome,
  claimWebhooks,
  type DueBatch,
  type DueDelivery,
  recordAttempts,
  releaseWebhook,
  takeDueDeliveries,
  type WebhookClaim,
} from '../../storage/webhooks/delivery-queue.ts'
import { runInLanes } from '../in-lanes.ts'
import type { Job, WorkerDependencies } from '../job.ts'
import { sendWebhook, type WebhookResponse } from './send-webhook.ts'

export interface Delivering {
  secretBox: Pick<SecretBox, 'open'>
  randomId: () => string
  metrics: Pick<Metrics, 'webhookAttempted'>
  /** For tests. */
  timeoutMs?: number
  pollMs?: number
}

/** An attempt that takes longer makes its webhook a slow one. */
const slowMs = 2000
/** Longer than an attempt on a slow machine: a replica that lets its claim expire counts as dead. */
const claimMs = 30_000
const deliveriesAtOnce = 4

export function deliverWebhooks(delivering: Delivering): Job {
  const { randomId, pollMs = 1000 } = delivering
  return {
    name: 'deliver-webhooks',
    everyMs: pollMs,
    runsBeforeReady: false,
    isShared: true,
    run: (dependencies, signal) =>
      runInLanes(
        {
          pollMs,
          claim: wanted =>
            claimWebhooks(dependencies.sql, { ...wanted, claim: randomId(), time: dependencies.now(), claimMs }),
          work: ({ isSlow, ...claimed }) => deliverAll({ delivering, dependencies, claimed, isSlow, signal }),
        },
        signal,
      ),
  }
}

interface Run {
  delivering: Delivering
  dependencies: WorkerDependencies
  claimed: WebhookClaim
  /** The lane that the run belongs to. */
  isSlow: boolean
  signal: AbortSignal
}

/** Sends all that is due. Never throws: after a database error the claim expires by itself. */
async function deliverAll(run: Run): Promise<void> {
  const { dependencies, claimed, signal } = run
  const { sql, now, log } = dependencies
  try {
    while (!signal.aborted) {
      const batch = await takeDueDeliveries(sql, claimed, { time: now(), claimMs, limit: deliveriesAtOnce })
      if (batch === null) return
      if (!(await deliverBatch(run, batch))) break
    }
    await releaseWebhook(sql, claimed, now())
  } catch (error) {
    log.error('webhooks could not be delivered, retrying', { error })
  }
}

interface Attempt {
  delivery: DueDelivery
  response: WebhookResponse
  isSlow: boolean
}

/** Returns whether the run goes on: it holds the claim, and is still in the right lane. */
async function deliverBatch(run: Run, batch: DueBatch): Promise<boolean> {
  const { delivering, dependencies, claimed, signal } = run
  const secrets = openSecrets(run, batch)
  const attempts = await Promise.all(batch.deliveries.map(delivery => attempt(run, batch, delivery, secrets)))
  // What this replica broke off was not an attempt; the next one repeats it.
  const ended = attempts.filter(({ response }) => response.status !== null || !signal.aborted)
  const time = dependencies.now()
  const outcomes = ended.map(each => outcomeOf(each, time))
  const isSlow = ended.some(each => each.isSlow)
  if (!(await recordAttempts(dependencies.sql, claimed, outcomes, { time, claimMs, isSlow }))) return false
  for (const { status } of outcomes) delivering.metrics.webhookAttempted(status === 'pending' ? 'retried' : status)
  return isSlow === run.isSlow && !signal.aborted
}

async function attempt(
  { delivering, dependencies, signal }: Run,
  { tenantId, url }: DueBatch,
  delivery: DueDelivery,
  secrets: readonly string[] | null,
): Promise<Attempt> {
  if (secrets === null) return { delivery, response: { status: null, failure: null }, isSlow: true }
  const { outbound, now, log } = dependencies
  const { timeoutMs = 10_000 } = delivering
  const startedAt = performance.now()
  const request = { tenantId, url, id: delivery.id, body: delivery.body, secrets, time: now(), timeoutMs, signal }
  const response = await sendWebhook(outbound, request)
  if (!isAccepted(response)) {
    const { status, failure } = response
    const fields = { tenant_id: tenantId, status: status ?? undefined, reason: failure?.kind, code: failure?.reason }
    log.debug('webhook delivery failed', fields)
  }
  return { delivery, response, isSlow: !isAccepted(response) || performance.now() - startedAt > slowMs }
}

function outcomeOf({ delivery, response }: Attempt, time: number): AttemptOutcome {
  const { id, attempts, createdAt } = delivery
  const lastStatus = response.status
  if (isAccepted(response)) return { id, status: 'delivered', lastStatus, nextAttemptAt: null }
  const next = nextAttemptAt({ attempts: attempts + 1, createdAt }, time)
  return { id, status: next === null ? 'failed' : 'pending', lastStatus, nextAttemptAt: next }
}

/** Null if the encryption key does not open them: the deliveries fail until it does, or until a rotation. */
function openSecrets(
  { delivering, dependencies, claimed }: Run,
  { tenantId, url, ciphertext, previousUntil }: DueBatch,
): string[] | null {
  try {
    const context = webhookSecretContext({ tenantId, webhookId: claimed.webhookId, url })
    const [current = '', previous] = delivering.secretBox.open(ciphertext, context).split(' ')
    const signsToo = previous !== undefined && previousUntil !== null && previousUntil > dependencies.now()
    return signsToo ? [current, previous] : [current]
  } catch (error) {
    if (!(error instanceof SealedSecretError)) throw error
    const fields = { tenant_id: tenantId, reason: error.reason }
    dependencies.log.warn('webhook secret cannot be decrypted, create the webhook again', fields)
    return null
  }
}
