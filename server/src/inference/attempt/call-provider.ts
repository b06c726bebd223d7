// Calls a provider, with at most one retry, and only if that is safe. start-attempt.ts makes one attempt.

import type { ProviderError } from '../../domain/conversation/provider-error.ts'
import { totalTimeoutOf } from '../../domain/conversation/upstream-timeouts.ts'
import type { AttemptOutcome, UpstreamAnswer } from './attempt.ts'
import { type AttemptDependencies, type ProviderRequest, startAttempt } from './start-attempt.ts'

const retriedStatuses = new Set([502, 503, 504, 529])
const maxWaitSeconds = 2
/** Spreads the retries of calls that failed at the same moment. */
const jitterMs = 100

interface ProviderCall {
  dependencies: AttemptDependencies
  request: ProviderRequest
  /** For both attempts together. */
  endsAt: number
}

/**
 * Resolves with an answer that has begun, or with the provider's error. Rejects, and sends nothing, if the provider's
 * format cannot express the prompt.
 */
export function callProvider(
  dependencies: AttemptDependencies,
  request: ProviderRequest,
): Promise<UpstreamAnswer | ProviderError> {
  const endsAt = performance.now() + totalTimeoutOf(dependencies, request.prompt.stream)
  const providerCall = { dependencies, request, endsAt }
  return new Promise(resolve =>
    attemptOnce(providerCall, first => {
      const isLast = 'begun' in first || !isRetried(first) || request.call.ending !== null
      resolve(isLast ? resultOf(first) : retry(providerCall, first.error))
    }),
  )
}

async function retry(providerCall: ProviderCall, error: ProviderError): Promise<UpstreamAnswer | ProviderError> {
  const { call } = providerCall.request
  await waitFor(backOffMs(error), call)
  if (call.ending !== null) return error
  return resultOf(await new Promise<AttemptOutcome>(resolve => attemptOnce(providerCall, resolve)))
}

function resultOf(outcome: AttemptOutcome): UpstreamAnswer | ProviderError {
  return 'begun' in outcome ? outcome.begun : outcome.error
}

type FailedAttempt = Extract<AttemptOutcome, { error: ProviderError }>

/** Retries if nothing was sent, or if the provider reports a brief overload. */
function isRetried({ error, status, hasConnected }: FailedAttempt): boolean {
  if (status === null) return !hasConnected
  if (status === 429) return error.class === 'rate_limit' && isShort(error.retryAfterSeconds)
  return retriedStatuses.has(status)
}

function isShort(seconds: number | null): boolean {
  return seconds !== null && seconds <= maxWaitSeconds
}

function backOffMs({ retryAfterSeconds }: ProviderError): number {
  return Math.min(retryAfterSeconds ?? 0, maxWaitSeconds) * 1000 + Math.random() * jitterMs
}

/** Throws if the provider's format cannot express the prompt. */
function attemptOnce(
  { dependencies, request, endsAt }: ProviderCall,
  resolve: (outcome: AttemptOutcome) => void,
): void {
  const { watch, call } = request
  let isOver = false
  watch.attemptStarted()
  const abort = startAttempt(dependencies, request, endsAt, outcome => {
    isOver = true
    // From here on the consumer of the answer listens to the call.
    call.listen(null)
    if ('begun' in outcome || outcome.hasConnected) call.noteReached()
    if ('begun' in outcome) watch.attemptAnswered()
    // An attempt that we aborted does not count as a failure of the provider.
    else watch.attemptFailed(call.ending ?? outcome.error.class, outcome.status)
    resolve(outcome)
  })
  if (!isOver) call.listen(abort)
}

/** Ends early if the call does. */
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
