// The one error of an external recogniser. Must never carry a text, a response or an address.

import type { RecogniserOutcome } from '../../domain/metrics.ts'

export type RecogniserProblem = Exclude<RecogniserOutcome, 'answered'>

export class RecogniserFailure extends Error {
  readonly problem: RecogniserProblem

  constructor(problem: RecogniserProblem, options?: ErrorOptions) {
    super(`the external recogniser could not be used: ${problem}`, options)
    this.name = 'RecogniserFailure'
    this.problem = problem
  }
}
