// One call to a provider: tried once more where that is safe. From its first events on the answer comes as events to
// whoever takes it. Knows when a second try is safe; how one try goes is start-attempt.ts's.

import type { ProviderFault } from '../../domain/conversation/provider-fault.ts'
import { totalMsOf } from '../../domain/conversation/upstream-times.ts'
import type { CallEnding } from '../call-ending.ts'
import { type AttemptDependencies, type ProviderRequest, startAttempt } from './start-attempt.ts'
import type { Attempt, UpstreamAnswer } from './upstream-answer.ts'

const retriedStatuses = new Set([502, 503, 504, 529])
const maxWaitSeconds = 2
/** Many that failed at the same moment do not come back at the same moment. */
const spreadMs = 100

interface ProviderCall {
  parts: AttemptDependencies
  request: ProviderRequest
  ending: CallEnding
  /** For all tries together. */
  endsAt: number
}

/**
 * Resolves with the first events at hand; a fault before them comes as the other outcome. Rejects where the prompt cannot be
 * said to this provider: nothing is sent then.
 */
export function callProvider(
  parts: AttemptDependencies,
  request: ProviderRequest,
  ending: CallEnding,
): Promise<UpstreamAnswer | ProviderFault> {
  const endsAt = performance.now() + totalMsOf(parts, request.prompt.stream)
  const call = { parts, request, ending, endsAt }
  return new Promise(resolve =>
    tryOnce(call, first => {
      const isLast = 'begun' in first || !isWorthAnother(first) || ending.reason !== null
      resolve(isLast ? outcomeOf(first) : tryAgain(call, first.fault))
    }),
  )
}

async function tryAgain(call: ProviderCall, fault: ProviderFault): Promise<UpstreamAnswer | ProviderFault> {
  const { ending } = call
  await waitFor(pauseMsAfter(fault), ending)
  if (ending.reason !== null) return fault
  return outcomeOf(await new Promise<Attempt>(resolve => tryOnce(call, resolve)))
}

function outcomeOf(attempt: Attempt): UpstreamAnswer | ProviderFault {
  return 'begun' in attempt ? attempt.begun : attempt.fault
}

type FailedAttempt = Extract<Attempt, { fault: ProviderFault }>

/** Nothing left, or a provider that says that it is overloaded just now. */
function isWorthAnother({ fault, status, hasConnected }: FailedAttempt): boolean {
  if (status === null) return !hasConnected
  if (status === 429) return fault.class === 'rate_limit' && isShort(fault.retryAfterSeconds)
  return retriedStatuses.has(status)
}

function isShort(seconds: number | null): boolean {
  return seconds !== null && seconds <= maxWaitSeconds
}

function pauseMsAfter({ retryAfterSeconds }: ProviderFault): number {
  return Math.min(retryAfterSeconds ?? 0, maxWaitSeconds) * 1000 + Math.random() * spreadMs
}

/** Throws where the prompt cannot be said to this provider. */
function tryOnce({ parts, request, ending, endsAt }: ProviderCall, resolve: (attempt: Attempt) => void): void {
  const { watch } = request
  let isOver = false
  watch.tryStarted()
  const abandon = startAttempt(parts, request, endsAt, attempt => {
    isOver = true
    // Whoever takes the answer sees to its ending from here on.
    ending.listen(null)
    if ('begun' in attempt || attempt.hasConnected) request.onReached?.()
    if ('begun' in attempt) watch.tryAnswered()
    // A try that we gave up is no fault of the provider's.
    else watch.tryFailed(ending.reason ?? attempt.fault.class, attempt.status)
    resolve(attempt)
  })
  if (!isOver) ending.listen(abandon)
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
