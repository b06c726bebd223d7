// Passes large events on in turns of the event loop, in order: other requests run in between. Long texts are cut.

import { RingQueue } from '../../collections/ring-queue.ts'
import type { AnswerEvent } from '../../domain/conversation/answer.ts'
import { cutTokens, weightOf } from './cut-delta.ts'

interface PacingOptions {
  /** Returns false if the provider must pause. */
  pass: (events: readonly AnswerEvent[]) => boolean
  /** The provider may go on. */
  resume: () => void
}

/** All that is done with a text of this length takes a millisecond. */
export const maxPieceLength = 65_536
const maxHoldMs = 5

export class EventPacing {
  readonly #options: PacingOptions
  #waiting = new RingQueue<AnswerEvent>()
  #isScheduled = false
  #onIdle: (() => void) | null = null

  constructor(options: PacingOptions) {
    this.#options = options
  }

  /** Whether events wait, so that later ones must wait behind them. */
  get isBusy(): boolean {
    return this.#isScheduled
  }

  /** The provider must pause until `resume`. */
  take(events: readonly AnswerEvent[]): false {
    for (const event of events) for (const piece of cutEvent(event)) this.#waiting.add(piece)
    this.#schedule()
    return false
  }

  /** Calls back once all events have been passed on: at once if none is waiting. */
  whenIdle(callback: () => void): void {
    if (this.#isScheduled) this.#onIdle = callback
    else callback()
  }

  /** Returns the events that wait, which are not passed on. */
  stop(): AnswerEvent[] {
    const left: AnswerEvent[] = []
    for (let event = this.#waiting.take(); event !== undefined; event = this.#waiting.take()) left.push(event)
    this.#onIdle = null
    return left
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#work())
  }

  #work(): void {
    this.#isScheduled = false
    const startedAt = performance.now()
    let isAccepted = true
    for (let event = this.#waiting.take(); event !== undefined; event = this.#waiting.take()) {
      isAccepted = this.#options.pass([event])
      if (this.#waiting.length > 0 && performance.now() - startedAt >= maxHoldMs) {
        this.#schedule()
        return
      }
    }
    const onIdle = this.#onIdle
    this.#onIdle = null
    if (onIdle !== null) onIdle()
    else if (isAccepted) this.#options.resume()
  }
}

function cutEvent(event: AnswerEvent): AnswerEvent[] {
  if (event.raw !== null || event.deltas.every(delta => weightOf(delta) <= maxPieceLength)) return [event]
  return event.deltas.flatMap(delta => cutTokens(delta, maxPieceLength).map(piece => ({ deltas: [piece], raw: null })))
}
