// What a try at a provider came to, told to whoever counts and traces it; the answer itself passes as it is.

import type { CallWatch } from '../domain/metrics.ts'
import type { Ending } from '../http/inference-port.ts'
import type { Attempt, BegunAnswer } from './provider-attempt.ts'

export function watchAttempt(attempt: Attempt, watch: CallWatch, ending: AbortSignal): Attempt {
  if ('begun' in attempt) {
    watch.tryAnswered()
    return { begun: watchAnswer(attempt.begun, watch, ending) }
  }
  // A try that we gave up is no fault of the provider's.
  watch.tryFailed(ending.aborted ? (ending.reason as Ending) : attempt.fault.class, attempt.status)
  return attempt
}

function watchAnswer(begun: BegunAnswer, watch: CallWatch, ending: AbortSignal): BegunAnswer {
  return {
    begin(taker) {
      begun.begin({
        onEvents: events => taker.onEvents(events),
        onEnd(fault) {
          watch.answerEnded(fault?.class ?? 'complete')
          taker.onEnd(fault)
        },
      })
    },
    resume: () => begun.resume(),
    abort() {
      watch.answerEnded(ending.aborted ? (ending.reason as Ending) : 'client_gone')
      return begun.abort()
    },
  }
}
