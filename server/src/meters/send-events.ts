// Sends a batch of meter events, and says which of them arrived, which the receiver rejected, and which have to be sent
// again because it is unavailable.

import type { MeterEvent, MeterFormat } from '../domain/meters/meter.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { isAccepted, type Post, type PostResponse, post } from '../outbound/post.ts'
import {
  type MeterFormatting,
  writeCloudEvents,
  writeStripeEvent,
  writeTestCloudEvent,
  writeTestStripeEvent,
} from './event-formats.ts'

export interface MeterReceiver extends Omit<MeterFormatting, 'time'> {
  format: MeterFormat
  url: string
}

interface Sending extends Pick<Post, 'timeoutMs' | 'signal'> {
  now: () => number
}

interface BatchSending extends Sending {
  /** No request starts later, on `performance.now()`. */
  endsAt: number
}

/** Why the last request did not succeed. */
export interface MeterFailure {
  /** Null without a response. */
  status: number | null
  /** A word of ours or of Stripe's; null if the status says it all. */
  reason: string | null
}

export interface SentBatch {
  sent: MeterEvent[]
  /** Something is wrong with these events, or with one of them. */
  rejected: MeterEvent[]
  failure: MeterFailure | null
  /** The receiver is down, slows us down, or does not know us: all that is not sent waits. */
  isUnavailable: boolean
}

/** Statuses that are about the events. After all others the same events are sent again. */
const rejections: ReadonlySet<number> = new Set([400, 409, 413, 422])
/** Stripe takes one request at a time for each customer. */
const customersAtOnce = 8

export async function sendEvents(
  outbound: Outbound,
  receiver: MeterReceiver,
  events: readonly MeterEvent[],
  sending: BatchSending,
): Promise<SentBatch> {
  const batch: SentBatch = { sent: [], rejected: [], failure: null, isUnavailable: false }
  const [writable, broken] = separate(events)
  if (broken.length > 0) {
    batch.rejected.push(...broken)
    batch.failure = { status: null, reason: 'event_unwritable' }
  }
  if (receiver.format === 'cloudevents') {
    if (writable.length === 0) return batch
    const request = writeCloudEvents(writable, { ...receiver, time: sending.now() })
    note(batch, writable, await post(outbound, { ...receiver, ...request, ...sending }))
    return batch
  }
  const customers = [...Map.groupBy(writable, ({ subject }) => subject).values()]
  const next = customers.values()
  const sendCustomers = async () => {
    for (const ofCustomer of next) {
      for (const event of ofCustomer) {
        if (batch.isUnavailable || sending.signal.aborted || performance.now() > sending.endsAt) return
        const request = writeStripeEvent(event, { ...receiver, time: sending.now() })
        note(batch, [event], await post(outbound, { ...receiver, ...request, ...sending }))
      }
    }
  }
  await Promise.all(Array.from({ length: customersAtOnce }, sendCustomers))
  return batch
}

/** An event without a time or an amount cannot be written in any format, and must not stop the others. */
function separate(events: readonly MeterEvent[]): [writable: MeterEvent[], broken: MeterEvent[]] {
  const isWritable = ({ request, amount }: MeterEvent) =>
    Number.isSafeInteger(amount) && !Number.isNaN(new Date(request.at).getTime())
  const { true: writable = [], false: broken = [] } = Object.groupBy(events, event => `${isWritable(event)}`)
  return [writable, broken]
}

function note(batch: SentBatch, events: readonly MeterEvent[], response: PostResponse): void {
  if (isTaken(response)) {
    batch.sent.push(...events)
    return
  }
  batch.failure = failureOf(response)
  if (response.status !== null && rejections.has(response.status)) batch.rejected.push(...events)
  else batch.isUnavailable = true
}

/** Stripe refuses an identifier that it has: the event arrived before. */
function isTaken(response: PostResponse): boolean {
  return isAccepted(response) || (response.status === 400 && isKnownEvent.test(response.text))
}

const isKnownEvent = /"duplicate_meter_event"|event already exists with identifier/

const stripeCode = /"code"\s*:\s*"([a-z_]{1,64})"/

/** The text of a receiver may hold anything: only a code goes further. */
function failureOf({ status, failure, text }: PostResponse): MeterFailure {
  return { status, reason: failure?.kind ?? stripeCode.exec(text)?.[1] ?? null }
}

/** Sends an event that counts nothing. Null if the receiver took it. */
export async function sendTestEvent(
  outbound: Outbound,
  receiver: MeterReceiver,
  { id, customer }: { id: string; customer: string },
  sending: Sending,
): Promise<MeterFailure | null> {
  const meter = { ...receiver, time: sending.now() }
  const request =
    receiver.format === 'cloudevents' ? writeTestCloudEvent(id, meter) : writeTestStripeEvent(id, customer, meter)
  const response = await post(outbound, { ...receiver, ...request, ...sending })
  return isAccepted(response) ? null : failureOf(response)
}
