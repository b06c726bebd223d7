// Passes events through the rewriter of their answer, in order. Cuts long texts, and lets other requests run in
// between.

import { RingQueue } from '../../collections/ring-queue.ts'
import type { AnswerEvent, Delta } from '../../domain/conversation/answer.ts'
import type { AnswerRewriter } from '../../guardrails/answers/answer-rewriter.ts'
import { cutDelta } from './cut-delta.ts'

interface RewritingOptions {
  rewriter: AnswerRewriter
  /** False: the answer is only scanned, and the provider's events are sent unchanged. */
  changes: boolean
  /** Returns false if the provider must pause. */
  send: (events: readonly AnswerEvent[]) => boolean
  /** The provider may go on after a pause for which `send` was not the reason. */
  resume: () => void
  fail: (error: unknown) => void
}

/** Rewriting a text of this length takes a few milliseconds at most. */
const maxTextLength = 4_096
const maxHoldMs = 5

export class EventRewriting {
  readonly #options: RewritingOptions
  #waiting = new RingQueue<Delta>()
  /** What names an answer and says nothing, while events that came with it still wait. */
  #unsent: Delta[] = []
  #isScheduled = false
  #onIdle: (() => void) | null = null

  constructor(options: RewritingOptions) {
    this.#options = options
  }

  /** Returns false if the provider must pause. Throws what ends the answer. */
  take(events: readonly AnswerEvent[]): boolean {
    const { changes, send } = this.#options
    const isAccepted = changes || send(events)
    for (const { deltas } of events)
      for (const delta of deltas) for (const piece of cutDelta(delta, maxTextLength)) this.#waiting.add(piece)
    if (this.#isScheduled) return false
    return this.#work() && isAccepted
  }

  /** Calls back once all events have been rewritten: at once if none is waiting. */
  whenIdle(callback: () => void): void {
    if (this.#isScheduled) this.#onIdle = callback
    else callback()
  }

  /** Discards the events that wait. */
  stop(): void {
    this.#waiting = new RingQueue()
    this.#onIdle = null
  }

  /** Returns false if the provider must pause. */
  #work(): boolean {
    const { rewriter, changes, send } = this.#options
    const startedAt = performance.now()
    const ready = this.#unsent
    this.#unsent = []
    for (let delta = this.#waiting.take(); delta !== undefined; delta = this.#waiting.take()) {
      for (const rewritten of rewriter.rewrite([delta])) ready.push(rewritten)
      if (this.#waiting.length > 0 && performance.now() - startedAt >= maxHoldMs) break
    }
    const isWhole = this.#waiting.length === 0
    // Nothing yet: the answer may still be blocked before anything of it is sent.
    if (!isWhole && ready.every(({ type }) => type === 'origin')) this.#unsent = ready
    const isAccepted = !changes || ready === this.#unsent || ready.length === 0 || send([{ deltas: ready, raw: null }])
    if (isWhole) return isAccepted
    this.#isScheduled = true
    setImmediate(() => this.#goOn())
    return false
  }

  #goOn(): void {
    this.#isScheduled = false
    const { resume, fail } = this.#options
    try {
      const isAccepted = this.#work()
      if (this.#isScheduled) return
      const onIdle = this.#onIdle
      this.#onIdle = null
      if (onIdle !== null) onIdle()
      else if (isAccepted) resume()
    } catch (error) {
      fail(error)
    }
  }
}
