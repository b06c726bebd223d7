// Circuit breakers, one per tenant, provider and address. After enough consecutive failures calls are rejected at
// once, except for one trial call per pause. A rejection by the provider (401, 403, 429, an error in the request)
// is not a failure.

export interface Breakers {
  /** How many keys have failed since they last answered. While none has, nothing else need be called. */
  readonly failing: { readonly size: number }
  /** False while the breaker is open; admits one trial call each time its pause is over. */
  admits(key: string): boolean
  /** The provider responded, even if it rejected the request. */
  noteAnswer(key: string): void
  noteFailure(key: string): void
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
const maxBreakers = 20_000

export function createBreakers(now: () => number): Breakers {
  const breakers = new Map<string, Breaker>()
  return {
    failing: breakers,
    admits(key) {
      const breaker = breakers.get(key)
      if (breaker === undefined || !isOpen(breaker)) return true
      if (now() < breaker.openUntil) return false
      // Half-open: this call is the trial; others are rejected until it succeeds or the pause is over again.
      breaker.openUntil = now() + pauseMs
      return true
    },
    noteAnswer: key => void breakers.delete(key),
    noteFailure(key) {
      if (breakers.size >= maxBreakers) breakers.clear()
      const at = now()
      const { failures, since } = breakers.get(key) ?? { failures: 0, since: at }
      breakers.set(key, { failures: failures + 1, since, openUntil: at + pauseMs })
    },
  }
}

/** Measures from the first failure to the last one, so that a breaker opens only by a failure, not as time passes. */
function isOpen({ failures, since, openUntil }: Breaker): boolean {
  return failures >= failuresInARow && openUntil - pauseMs - since >= minOutageMs
}
