// Sends the events of meters. Every replica claims meters with due events and sends them in batches. An event is sent
// at least once, always with the id of its request: again after a failure, and after a replica died before it recorded
// the response.
import { meterSecretContext } from '../../crypto/secrets/meter-secret.ts'
import { SealedSecretError, type SecretBox } from '../../crypto/secrets/secret-box.ts'
import { amountOf, type MeterEvent, subjectOf } from '../../domain/meters/meter.ts'
import type { Metrics } from '../../domain/metrics.ts'
import { type SentBatch, sendEvents } from '../../meters/send-events.ts'
import {
  claimMeters,
  type DueEvents,
  type MeterClaim,
  type MeterOutcome,
  recordOutcome,
  releaseMeter,
  takeDueEvents,
} from '../../storage/meters/event-queue.ts'
import { findCustomers } from '../../storage/meters/subjects.ts'
import { runInLanes } from '../in-lanes.ts'
import type { Job, WorkerDependencies } from '../job.ts'

export interface MeterSending {
  secretBox: Pick<SecretBox, 'open'>
  randomId: () => string
  metrics: Pick<Metrics, 'meterEvents'>
  /** For tests. */
  timeoutMs?: number
  pollMs?: number
}

/** A batch that takes longer makes its meter a slow one. */
const slowMs = 2000
const timeoutOfRequestMs = 10_000
const eventsAtOnce = 100
/** Longer than a batch: a replica that lets its claim expire counts as dead. */
const claimMs = 60_000
/** Then a batch of many requests starts no further one, and what it has not sent is due again. */
const batchMs = 30_000

export function sendMeterEvents(sending: MeterSending): Job {
  const { randomId, pollMs = 1000 } = sending
  return {
    name: 'send-meter-events',
    everyMs: pollMs,
    runsBeforeReady: false,
    isShared: true,
    run: (dependencies, signal) =>
      runInLanes(
        {
          pollMs,
          claim: wanted =>
            claimMeters(dependencies.sql, { ...wanted, claim: randomId(), time: dependencies.now(), claimMs }),
          work: ({ isSlow, ...claimed }) => sendAll({ sending, dependencies, claimed, isSlow, signal }),
        },
        signal,
      ),
  }
}

interface Run {
  sending: MeterSending
  dependencies: WorkerDependencies
  claimed: MeterClaim
  /** The lane that the run belongs to. */
  isSlow: boolean
  signal: AbortSignal
}

/** Sends all that is due. Never throws: after a database error the claim expires by itself. */
async function sendAll(run: Run): Promise<void> {
  const { dependencies, claimed, signal } = run
  const { sql, now, log } = dependencies
  try {
    for (let round = 0; !signal.aborted; round++) {
      // In turns: neither many new events nor many rejected ones stop the others.
      const first = round % 2 === 0 ? 'waiting' : 'rejected'
      const due = await takeDueEvents(sql, claimed, { time: now(), claimMs, limit: eventsAtOnce, first })
      if (due === null) return
      if (!(await sendBatch(run, due))) break
    }
    await releaseMeter(sql, claimed, now())
  } catch (error) {
    log.error('meter events could not be sent, retrying', { error })
  }
}

/** Returns whether the run goes on: it holds the claim, the receiver is available and in the right lane. */
async function sendBatch(run: Run, due: DueEvents): Promise<boolean> {
  const { sending, dependencies, claimed, signal } = run
  const { sql, now, log } = dependencies
  const events = await readEvents(run, due)
  const startedAt = performance.now()
  const batch = events.length === 0 ? nothing : await sendTo(run, due, events)
  // What this replica broke off was not an attempt; the next one repeats it.
  const isBrokenOff = signal.aborted && batch.failure?.status === null
  const isSlow = batch.isUnavailable || performance.now() - startedAt > slowMs
  const outcome = outcomeOf(due, events, isBrokenOff ? { ...batch, failure: null, isUnavailable: false } : batch)
  if (!(await recordOutcome(sql, claimed, { ...outcome, isSlow }, { time: now(), claimMs }))) return false
  count(sending.metrics, outcome, events.length)
  if (outcome.failure !== null) {
    const { status, reason } = outcome.failure
    const fields = { tenant_id: due.meter.tenant_id, status: status ?? undefined, reason: reason ?? undefined }
    log.debug('meter events could not be delivered', fields)
  }
  return isSlow === run.isSlow && !batch.isUnavailable && !signal.aborted
}

const nothing: SentBatch = { sent: [], rejected: [], failure: null, isUnavailable: false }

/** Leaves out requests that the meter has no event for. */
async function readEvents({ dependencies }: Run, { meter, events }: DueEvents): Promise<MeterEvent[]> {
  const requests = events.flatMap(({ request }) => request ?? [])
  const names = [...new Set(requests.map(request => subjectOf(meter.subject, request)))]
  const customers = await findCustomers(dependencies.sql, { tenantId: meter.tenant_id, meterId: meter.id }, names)
  return requests.flatMap(request => {
    const amount = amountOf(meter.value, request)
    const name = subjectOf(meter.subject, request)
    return amount === null ? [] : [{ request, subject: customers.get(name) ?? name, amount }]
  })
}

async function sendTo(run: Run, { meter }: DueEvents, events: readonly MeterEvent[]): Promise<SentBatch> {
  const { sending, dependencies, signal } = run
  const secret = openSecret(run, meter)
  if (secret === null)
    return { ...nothing, failure: { status: null, reason: 'secret_unreadable' }, isUnavailable: true }
  const { tenant_id: tenantId, format, url, event_name: eventName, value } = meter
  const receiver = { tenantId, format, url, eventName, value, secret }
  const { timeoutMs = timeoutOfRequestMs } = sending
  const endsAt = performance.now() + batchMs
  return await sendEvents(dependencies.outbound, receiver, events, { now: dependencies.now, timeoutMs, signal, endsAt })
}

/** Null if the encryption key does not open it: the events wait until it does, or until the meter is set again. */
function openSecret({ sending, dependencies }: Run, meter: DueEvents['meter']): string | null {
  const { id: meterId, tenant_id: tenantId, format, url, ciphertext } = meter
  try {
    return sending.secretBox.open(ciphertext, meterSecretContext({ tenantId, meterId, format, url }))
  } catch (error) {
    if (!(error instanceof SealedSecretError)) throw error
    const fields = { tenant_id: tenantId, reason: error.reason }
    dependencies.log.warn('meter secret cannot be decrypted, set the meter again', fields)
    return null
  }
}

function outcomeOf(due: DueEvents, events: readonly MeterEvent[], batch: SentBatch): Omit<MeterOutcome, 'isSlow'> {
  const idOf = ({ request }: MeterEvent) => request.requestId
  const [sent, wanted] = [batch.sent.map(idOf), new Set(events.map(idOf))]
  const rejected = new Set(batch.rejected.map(idOf))
  const skipped = due.events.filter(({ request, requestId }) => request !== null && !wanted.has(requestId))
  return {
    done: [...sent, ...skipped.map(({ requestId }) => requestId)],
    sent: sent.length,
    dropped: due.events.filter(({ request }) => request === null).map(({ requestId }) => requestId),
    rejected: due.events.filter(({ requestId }) => rejected.has(requestId)),
    failure: batch.failure,
    isUnavailable: batch.isUnavailable,
  }
}

function count(metrics: MeterSending['metrics'], outcome: Omit<MeterOutcome, 'isSlow'>, tried: number): void {
  const { sent, rejected, dropped, isUnavailable } = outcome
  metrics.meterEvents('sent', sent)
  metrics.meterEvents('rejected', rejected.length)
  metrics.meterEvents('dropped', dropped.length)
  if (isUnavailable) metrics.meterEvents('retried', tried - sent - rejected.length)
}
