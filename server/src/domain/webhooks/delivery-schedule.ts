// When a delivery of a webhook is attempted again, and when it has failed.

import { dayMs } from '../day.ts'

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

const [secondMs, minuteMs, hourMs] = [1000, 60_000, 3_600_000]
/** The wait after the first failed attempt, after the second, and so on; the last one repeats. */
const waits = [5 * secondMs, 30 * secondMs, 2 * minuteMs, 10 * minuteMs, 30 * minuteMs, hourMs]

/** The wait after so many attempts that failed. */
export function waitAfterMs(attempts: number): number {
  return waits[Math.min(attempts, waits.length) - 1] ?? hourMs
}

/** Attempts end this long after the delivery was created. */
const triedForMs = dayMs

/**
 * When to try again after a failed attempt at `time`; null if that one was the last. The last attempt is at the end of
 * the period or after it, so that a worker which was down for longer still makes one.
 */
export function nextAttemptAt(delivery: { attempts: number; createdAt: number }, time: number): number | null {
  const endsAt = delivery.createdAt + triedForMs
  if (time >= endsAt) return null
  return Math.min(time + waitAfterMs(delivery.attempts), endsAt)
}
