// Calls one provider, and retries only if that is safe or the project's routes ask for it. start-attempt.ts makes one
// attempt.

import type { ProviderError } from '../../domain/conversation/provider-error.ts'
import { type RetryCause, type RetryRule, retryCauses } from '../../domain/settings/routes.ts'
import type { AttemptOutcome, UpstreamAnswer } from './attempt.ts'
import { type AttemptDependencies, type ProviderRequest, startAttempt } from './start-attempt.ts'

const retriedStatuses = new Set([502, 503, 504, 529])
const maxWaitSeconds = 2
/** Spreads the retries of calls that failed at the same moment. */
const jitterMs = 100
/** The second retry of routes waits this much longer, the third twice as much. */
const backOffStepMs = 250

/**
 * Resolves with an answer that has begun, or with the provider's error. Rejects, and sends nothing, if the provider's
 * format cannot express the prompt.
 */
export function callProvider(
  dependencies: AttemptDependencies,
  request: ProviderRequest,
): Promise<UpstreamAnswer | ProviderError> {
  return new Promise(resolve =>
    attemptOnce(dependencies, request, first => {
      const isLast = 'begun' in first || !mayRetry(dependencies, request, first, 0)
      resolve(isLast ? resultOf(first) : retry(dependencies, request, first))
    }),
  )
}

async function retry(
  dependencies: AttemptDependencies,
  request: ProviderRequest,
  first: FailedAttempt,
): Promise<UpstreamAnswer | ProviderError> {
  let failed = first
  for (let retries = 0; ; retries++) {
    await waitFor(backOffMs(failed.error, retries), request.call)
    if (request.call.ending !== null) return failed.error
    const outcome = await new Promise<AttemptOutcome>(resolve => attemptOnce(dependencies, request, resolve))
    if ('begun' in outcome || !mayRetry(dependencies, request, outcome, retries + 1)) return resultOf(outcome)
    failed = outcome
  }
}

function resultOf(outcome: AttemptOutcome): UpstreamAnswer | ProviderError {
  return 'begun' in outcome ? outcome.begun : outcome.error
}

type FailedAttempt = Extract<AttemptOutcome, { error: ProviderError }>

function mayRetry(
  dependencies: AttemptDependencies,
  request: ProviderRequest,
  failed: FailedAttempt,
  retries: number,
): boolean {
  const { route } = request.target
  // A token that was renewed is worth one retry, whatever the routes say of failures.
  const isRenewed = retries === 0 && failed.error.class === 'auth' && forgetToken(dependencies, request)
  if (request.call.ending !== null || retries >= (route?.retry?.attempts ?? 1)) return false
  return isRenewed || (route === undefined ? isRetried(failed) : isRetriedByRoutes(failed, route.retry))
}

/** A token may have been revoked before it expired: another one is fetched. */
function forgetToken({ clouds }: AttemptDependencies, { target, adapter, tenantId }: ProviderRequest): boolean {
  return adapter.forget?.(target.credential, { clouds, tenantId }) ?? false
}

/** Retries if nothing was sent, or if the provider reports a brief overload. */
function isRetried({ error, status, hasConnected }: FailedAttempt): boolean {
  if (status === null) return !hasConnected
  if (status === 429) return error.class === 'rate_limit' && isShort(error.retryAfterSeconds)
  return retriedStatuses.has(status)
}

const coveredBy: Record<RetryCause, (failed: FailedAttempt) => boolean> = {
  connect: ({ status, hasConnected }) => status === null && !hasConnected,
  timeout: ({ error }) => error.class === 'timeout',
  429: ({ error }) => error.class === 'rate_limit' && isShort(error.retryAfterSeconds ?? 0),
  '5xx': ({ error, status }) =>
    (status !== null && status >= 500) || error.class === 'overloaded' || error.class === 'server_error',
}

/** Without a rule, only if nothing was sent: the next target is asked rather than a provider that is overloaded. */
function isRetriedByRoutes(failed: FailedAttempt, rule: RetryRule | null): boolean {
  const causes: readonly RetryCause[] = rule === null ? ['connect'] : (rule.on ?? retryCauses)
  return causes.some(cause => coveredBy[cause](failed))
}

function isShort(seconds: number | null): boolean {
  return seconds !== null && seconds <= maxWaitSeconds
}

function backOffMs({ retryAfterSeconds }: ProviderError, retries: number): number {
  const seconds = Math.min(retryAfterSeconds ?? 0, maxWaitSeconds)
  return Math.max(seconds * 1000, retries * backOffStepMs) + Math.random() * jitterMs
}

/** Throws if the provider's format cannot express the prompt. */
function attemptOnce(
  dependencies: AttemptDependencies,
  request: ProviderRequest,
  resolve: (outcome: AttemptOutcome) => void,
): void {
  const { watch, call } = request
  let isOver = false
  watch.attemptStarted()
  call.notes?.beginAttempt(request.target.modelId)
  const abort = startAttempt(dependencies, request, outcome => {
    isOver = true
    // From here on the consumer of the answer listens to the call.
    call.listen(null)
    if ('begun' in outcome || outcome.hasConnected) call.noteReached()
    if ('begun' in outcome) watch.attemptAnswered()
    // An attempt that we aborted does not count as a failure of the provider.
    else watch.attemptFailed(call.ending ?? outcome.error.class, outcome.status)
    call.notes?.endAttempt('begun' in outcome ? null : (call.ending ?? outcome.error.class))
    resolve(outcome)
  })
  request.noteAttempt()
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
