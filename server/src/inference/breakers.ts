// Circuit breakers, one per tenant, provider and address: after failures in a row nobody waits for more of them, and now
// and then one call tries whether it is over. A refusal (401, 403, 429, the client's own faults) is an answer, and no failure.

import { Refusal } from '../domain/errors.ts'

export interface Breakers {
  /** Throws while calls to this place fail; lets one through each time the pause is over. */
  refuseIfOpen(place: string): void
  /** The place answered, be it with a refusal. */
  noteAnswer(place: string): void
  noteFailure(place: string): void
}

interface Breaker {
  failures: number
  openUntil: number
}

const failuresInARow = 8
const pauseMs = 5_000
const mostPlaces = 20_000

export function createBreakers(now: () => number): Breakers {
  const breakers = new Map<string, Breaker>()
  return {
    refuseIfOpen(place) {
      if (breakers.size === 0) return
      const breaker = breakers.get(place)
      if (breaker === undefined || breaker.failures < failuresInARow) return
      if (now() < breaker.openUntil) throw new Refusal('provider_unavailable')
      // This call is the one that tries; the others wait for what becomes of it.
      breaker.openUntil = now() + pauseMs
    },
    noteAnswer(place) {
      if (breakers.size > 0) breakers.delete(place)
    },
    noteFailure(place) {
      if (breakers.size >= mostPlaces) breakers.clear()
      const failures = (breakers.get(place)?.failures ?? 0) + 1
      breakers.set(place, { failures, openUntil: now() + pauseMs })
    },
  }
}
