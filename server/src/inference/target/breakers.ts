// Circuit breakers, one per tenant, provider and address. After enough consecutive failures calls are rejected at
// once, except for one trial call per pause. A rejection by the provider (401, 403, 429, an error in the request)
// is not a failure.

import { Refusal } from '../../domain/errors.ts'

export interface Breakers {
  /** Throws while the breaker is open; admits one trial call each time its pause is over. */
  refuseIfOpen(place: string): void
  /** The provider responded, even if it rejected the request. */
  noteAnswer(place: string): void
  noteFailure(place: string): void
}

interface Breaker {
  failures: number
  /** The time of the first of these failures. */
  since: number
  openUntil: number
}

const failuresInARow = 20
const pauseMs = 5_000
/** A brief outage can fail many concurrent calls; a pause would then last longer than the outage. */
const minOutageMs = pauseMs
const maxPlaces = 20_000

export function createBreakers(now: () => number): Breakers {
  const breakers = new Map<string, Breaker>()
  return {
    refuseIfOpen(place) {
      if (breakers.size === 0) return
      const breaker = breakers.get(place)
      if (breaker === undefined || !isOpen(breaker)) return
      if (now() < breaker.openUntil) throw new Refusal('provider_unavailable')
      // Half-open: this call is the trial; others are rejected until it succeeds or the pause is over again.
      breaker.openUntil = now() + pauseMs
    },
    noteAnswer(place) {
      if (breakers.size > 0) breakers.delete(place)
    },
    noteFailure(place) {
      if (breakers.size >= maxPlaces) breakers.clear()
      const at = now()
      const { failures, since } = breakers.get(place) ?? { failures: 0, since: at }
      breakers.set(place, { failures: failures + 1, since, openUntil: at + pauseMs })
    },
  }
}

/** Measures from the first failure to the last one, so that a breaker opens only by a failure, not as time passes. */
function isOpen({ failures, since, openUntil }: Breaker): boolean {
  return failures >= failuresInARow && openUntil - pauseMs - since >= minOutageMs
}
