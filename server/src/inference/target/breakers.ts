// Circuit breakers, one per tenant, provider and address: after a while of nothing but failures nobody waits for more of them,
// and now and then one call tries whether it is over. A refusal (401, 403, 429, the client's own faults) is an answer, and no failure.

import { Refusal } from '../../domain/errors.ts'

export interface Breakers {
  /** Throws while calls to this place fail; lets one through each time the pause is over. */
  refuseIfOpen(place: string): void
  /** The place answered, be it with a refusal. */
  noteAnswer(place: string): void
  noteFailure(place: string): void
}

interface Breaker {
  failures: number
  /** When the first of these failed. */
  since: number
  openUntil: number
}

const failuresInARow = 20
const pauseMs = 5_000
/** A moment's trouble fails many calls at once: a pause after it would last longer than the trouble. */
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
      // This call is the one that tries; the others wait for what becomes of it.
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

/** By the last failure: time alone, without another, opens nothing. */
function isOpen({ failures, since, openUntil }: Breaker): boolean {
  return failures >= failuresInARow && openUntil - pauseMs - since >= minOutageMs
}
