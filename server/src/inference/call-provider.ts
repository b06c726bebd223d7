// One call to a provider: tried once more where that is safe. From its first events on the answer comes as events to
// whoever takes it. Knows when a second try is safe; how one try goes is start-attempt.ts's.

import { type ProviderFault, providerFault } from '../domain/provider-fault.ts'
import type { Attempt, BegunAnswer } from './begun-answer.ts'
import type { CallEnding } from './call-ending.ts'
import { type AttemptParts, type ProviderRequest, startAttempt } from './start-attempt.ts'
import { watchAttempt } from './watched-attempt.ts'

const retriedStatuses = new Set([502, 503, 504, 529])
const longestWaitSeconds = 2
/** Many that failed at the same moment do not come back at the same moment. */
const spreadMs = 100

/** Resolves with the first events at hand; a fault before them comes as the other outcome. */
export async function callProvider(
  parts: AttemptParts,
  request: ProviderRequest,
  ending: CallEnding,
): Promise<BegunAnswer | ProviderFault> {
  const first = await attempt(parts, request, ending)
  if ('begun' in first) return first.begun
  if (!isWorthAnother(first) || ending.reason !== null) return first.fault
  await waitFor(pauseMsAfter(first.fault), ending)
  if (ending.reason !== null) return first.fault
  const second = await attempt(parts, request, ending)
  return 'begun' in second ? second.begun : second.fault
}

type FailedAttempt = Extract<Attempt, { fault: ProviderFault }>

/** Nothing left, or a provider that says that it is overloaded just now. */
function isWorthAnother({ fault, status, hasConnected }: FailedAttempt): boolean {
  if (status === null) return !hasConnected
  if (status === 429) return fault.class === 'rate_limit' && isShort(fault.retryAfterSeconds)
  return retriedStatuses.has(status)
}

function isShort(seconds: number | null): boolean {
  return seconds !== null && seconds <= longestWaitSeconds
}

function pauseMsAfter({ retryAfterSeconds }: ProviderFault): number {
  return Math.min(retryAfterSeconds ?? 0, longestWaitSeconds) * 1000 + Math.random() * spreadMs
}

/** Throws where the prompt cannot be said to this provider: nothing is sent then. */
function attempt(parts: AttemptParts, request: ProviderRequest, ending: CallEnding): Promise<Attempt> {
  return new Promise((resolve, reject) => {
    if (ending.reason !== null) {
      resolve({ fault: providerFault('network'), status: null, hasConnected: true })
      return
    }
    try {
      request.watch.tryStarted()
      const abandon = startAttempt(parts, request, outcome => {
        // Whoever takes the answer sees to its ending from here on.
        ending.listen(null)
        if ('begun' in outcome || outcome.hasConnected) request.onReached?.()
        resolve(watchAttempt(outcome, request.watch, ending))
      })
      ending.listen(abandon)
    } catch (error) {
      reject(error)
    }
  })
}

async function waitFor(ms: number, ending: CallEnding): Promise<void> {
  await new Promise<void>(resolve => {
    const timer = setTimeout(done, ms)
    function done() {
      clearTimeout(timer)
      ending.listen(null)
      resolve()
    }
    ending.listen(done)
  })
}
