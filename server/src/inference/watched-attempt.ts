// What a try at a provider came to, told to whoever counts and traces it; the answer itself passes as it is.

import type { CallWatch } from '../domain/metrics.ts'
import type { Attempt, BegunAnswer } from './begun-answer.ts'
import type { CallEnding } from './call-ending.ts'

export function watchAttempt(attempt: Attempt, watch: CallWatch, ending: CallEnding): Attempt {
  if ('begun' in attempt) {
    watch.tryAnswered()
    return { begun: watchAnswer(attempt.begun, watch, ending) }
  }
  // A try that we gave up is no fault of the provider's.
  watch.tryFailed(ending.reason ?? attempt.fault.class, attempt.status)
  return attempt
}

function watchAnswer(begun: BegunAnswer, watch: CallWatch, ending: CallEnding): BegunAnswer {
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
      // Nobody else gives an answer up but a step of ours that failed.
      watch.answerEnded(ending.reason ?? 'internal')
      return begun.abort()
    },
  }
}
