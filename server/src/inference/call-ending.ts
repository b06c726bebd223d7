// Whether an admitted call has to end early, and who is told when it does: one step after the other, never two. An abort
// signal with its listeners would cost each call more than most of its steps.

import { type AdmittedCall, type Ending, listenForEnding } from '../http/inference-port.ts'

export class CallEnding {
  #reason: Ending | null = null
  #listener: ((reason: Ending) => void) | null = null

  constructor(call: AdmittedCall) {
    listenForEnding(call, reason => this.#tell(reason))
  }

  /** Null while the call may go on. */
  get reason(): Ending | null {
    return this.#reason
  }

  /** In the place of whoever listened before; null: nobody does. */
  listen(listener: ((reason: Ending) => void) | null): void {
    this.#listener = listener
  }

  #tell(reason: Ending): void {
    this.#reason = reason
    this.#listener?.(reason)
  }
}
