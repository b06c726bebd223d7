// The events of a stream before the first one with content, such as OpenAI's `response.created`. They do not begin an
// answer: an error may still follow them, and the client then gets its status.

import type { AnswerEvent, Delta } from '../../domain/conversation/answer.ts'

/** After so many bytes the answer begins without content. */
const maxBytes = 64 * 1024

export class Prelude {
  readonly #waitsForContent: boolean
  #bytes = 0

  constructor(waitsForContent: boolean) {
    this.#waitsForContent = waitsForContent
  }

  /** Adds those at the beginning to `held`, with copies of their bytes: more are read meanwhile. Returns the rest. */
  take(events: AnswerEvent[], held: AnswerEvent[]): AnswerEvent[] {
    const count = this.#countHeld(events)
    for (const { deltas, raw } of events.slice(0, count)) held.push({ deltas, raw: raw && Uint8Array.from(raw) })
    return count === 0 ? events : events.slice(count)
  }

  #countHeld(events: readonly AnswerEvent[]): number {
    let count = 0
    for (const { deltas, raw } of events) {
      if (!this.#isHeld(deltas) || this.#bytes > maxBytes) break
      this.#bytes += raw?.length ?? 0
      count++
    }
    return count
  }

  #isHeld(deltas: readonly Delta[]): boolean {
    return deltas.length === 0 || (this.#waitsForContent && deltas.every(({ type }) => type === 'origin'))
  }
}
