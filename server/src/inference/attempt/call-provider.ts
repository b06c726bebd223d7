// One call to a provider: tried once more where that is safe. From its first events on the answer comes as events to
// whoever takes it. Knows when a second try is safe; how one try goes is start-attempt.ts's.

import type { ProviderFault } from '../../domain/conversation/provider-fault.ts'
import { totalMsOf } from '../../domain/conversation/upstream-times.ts'
import { type AttemptDependencies, type ProviderRequest, startAttempt } from './start-attempt.ts'
import type { Attempt, UpstreamAnswer } from './upstream-answer.ts'

const retriedStatuses = new Set([502, 503, 504, 529])
const maxWaitSeconds = 2
/** Many that failed at the same moment do not come back at the same moment. */
const spreadMs = 100

interface ProviderCall {
  parts: AttemptDependencies
  request: ProviderRequest
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
): Promise<UpstreamAnswer | ProviderFault> {
  const endsAt = performance.now() + totalMsOf(parts, request.prompt.stream)
  const tries = { parts, request, endsAt }
  return new Promise(resolve =>
    tryOnce(tries, first => {
      const isLast = 'begun' in first || !isWorthAnother(first) || request.call.ending !== null
      resolve(isLast ? outcomeOf(first) : tryAgain(tries, first.fault))
    }),
  )
}

async function tryAgain(tries: ProviderCall, fault: ProviderFault): Promise<UpstreamAnswer | ProviderFault> {
  const { call } = tries.request
  await waitFor(pauseMsAfter(fault), call)
  if (call.ending !== null) return fault
  return outcomeOf(await new Promise<Attempt>(resolve => tryOnce(tries, resolve)))
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
function tryOnce({ parts, request, endsAt }: ProviderCall, resolve: (attempt: Attempt) => void): void {
  const { watch, call } = request
  let isOver = false
  watch.tryStarted()
  const abandon = startAttempt(parts, request, endsAt, attempt => {
    isOver = true
    // Whoever takes the answer sees to its ending from here on.
    call.listen(null)
    if ('begun' in attempt || attempt.hasConnected) call.noteReached()
    if ('begun' in attempt) watch.tryAnswered()
    // A try that we gave up is no fault of the provider's.
    else watch.tryFailed(call.ending ?? attempt.fault.class, attempt.status)
    resolve(attempt)
  })
  if (!isOver) call.listen(abandon)
}

async function waitFor(ms: number, call: ProviderRequest['call']): Promise<void> {
  await new Promise<void>(resolve => {
    const timer = setTimeout(done, ms)
    function done() {
      clearTimeout(timer)
      call.listen(null)
      resolve()
    }
    call.listen(done)
  })
}
