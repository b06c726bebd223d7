// How an answer that is relayed to a client ends: it is complete, it fails, its call has to end early, or Sallyport
// itself fails. It ends once: first its cost is settled, then the client gets its end.

import { Refusal } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'
import type { AnswerEnd } from '../domain/metrics.ts'
import type { AdmittedCall, Ending } from './admitted-call.ts'
import { ClientBackpressure } from './client-backpressure.ts'

/** What differs between the answers of providers and those of an inference service. */
export interface RelayedAnswer {
  /**
   * Closes the connection to the upstream, unless the upstream has ended, and settles the cost. Called once. The client
   * gets the end of the answer only once the promise resolves.
   */
  settle(end: AnswerEnd): Promise<void> | null
  /**
   * Ends what the client has received with this error. Returns false if the client has received nothing: the error is
   * then the whole response.
   */
  endWithError(refusal: Refusal, end: AnswerEnd): boolean
  /** Closes the client's connection. */
  drop(): void
}

interface AnswerEndingOptions {
  call: AdmittedCall
  answer: RelayedAnswer
  /** The response has ended. */
  done: () => void
  /** Nothing of the answer was sent: the caller writes the error. */
  refuse: (error: unknown) => void
  /** How long a client may read nothing while data waits for it. */
  idleTimeoutMs: number
  log: Log
}

type Phase =
  /** The answer goes to the client as it arrives. */
  | 'passing'
  /** How it ends is decided, and its cost settled. What the upstream still sends is discarded. */
  | 'ending'
  /** The call has been left to its caller. */
  | 'over'

/** Its methods do not throw: their callers could not end the call. */
export class AnswerEnding {
  readonly #options: AnswerEndingOptions
  /** Null until the client has to be waited for. */
  #backpressure: ClientBackpressure | null = null
  #phase: Phase = 'passing'

  constructor(options: AnswerEndingOptions) {
    this.#options = options
  }

  get isPassing(): boolean {
    return this.#phase === 'passing'
  }

  /** `begin` is not called for a call that has to end already. */
  start(begin: () => void): void {
    try {
      this.#options.call.listen(reason => this.#endEarly(reason))
      if (this.#phase === 'passing') begin()
    } catch (error) {
      this.abandon(error)
    }
  }

  /** The response has to drain first. */
  waitForClient(resume: () => void): void {
    const { call, idleTimeoutMs } = this.#options
    this.#backpressure ??= new ClientBackpressure(call.response, idleTimeoutMs)
    this.#backpressure.wait(resume)
  }

  /** The upstream has sent all of the answer. `finish` writes the rest of it. */
  complete(finish: () => Promise<void> | void): void {
    this.#end('complete', finish)
  }

  /** The answer broke off, or must not be sent. */
  fail(end: AnswerEnd, refusal: Refusal): void {
    this.#end(end, () => this.#endWithError(refusal, end))
  }

  /** Ends the call after an internal error: neither the client nor the upstream must be left waiting. */
  abandon(error: unknown): void {
    const { call, answer, log } = this.#options
    const { response, verified } = call
    const fields = { request_id: verified.requestId }
    if (this.#phase === 'over') {
      log.error('step of an answer failed after its end', { ...fields, error })
      return
    }
    if (this.#phase === 'passing') {
      try {
        void this.#settle('internal')
      } catch (second) {
        log.error('cost of an answer could not be settled', { ...fields, error: second })
      }
    }
    if (!response.headersSent && !response.destroyed) {
      this.#refuse(error)
      return
    }
    log.error('answer could not be passed on', { ...fields, error })
    try {
      if (response.destroyed) answer.drop()
      else if (!response.writableEnded) this.#endWithError(new Refusal('internal'), 'internal')
    } catch (second) {
      log.error('answer could not be ended', { ...fields, error: second })
      response.destroy()
    }
    this.#leave()
  }

  #endEarly(reason: Ending): void {
    if (reason === 'client_gone') this.#end(reason, () => this.#options.answer.drop())
    else this.fail(reason, new Refusal(reason))
  }

  #end(end: AnswerEnd, write: () => Promise<void> | void): void {
    if (this.#phase !== 'passing') return
    try {
      const settling = this.#settle(end)
      const writing = settling === null ? write() : settling.then(write)
      if (writing === undefined) this.#leave()
      else
        writing.then(
          () => this.#leave(),
          (error: unknown) => this.abandon(error),
        )
    } catch (error) {
      this.abandon(error)
    }
  }

  #settle(end: AnswerEnd): Promise<void> | null {
    const { call, answer } = this.#options
    this.#phase = 'ending'
    call.listen(null)
    return answer.settle(end)
  }

  #endWithError(refusal: Refusal, end: AnswerEnd): void {
    const { call, answer } = this.#options
    if (answer.endWithError(refusal, end)) call.noteFailure(refusal.code)
    else this.#refuse(refusal)
  }

  #refuse(error: unknown): void {
    if (this.#phase === 'over') return
    this.#phase = 'over'
    this.#options.refuse(error)
  }

  #leave(): void {
    if (this.#phase === 'over') return
    this.#phase = 'over'
    this.#backpressure?.stop()
    // The client must still read what waits, or it times out.
    const { call, idleTimeoutMs, done } = this.#options
    if (!call.response.writableFinished) call.response.setTimeout(idleTimeoutMs)
    done()
  }
}
