// A bounded queue of spans to send, which drops new spans while it is full.
import type { Span, SpanSink } from './span.ts'

export interface SpanQueue extends SpanSink {
  readonly size: number
  /** How many spans were dropped. */
  readonly dropped: number
  /** Returns the oldest spans; they stay until `release`. */
  peek(maxSpans: number): readonly Span[]
  release(count: number): void
}

export function createSpanQueue(maxSpans: number, onFilled: () => void, filledAt: number): SpanQueue {
  const spans: Span[] = []
  let dropped = 0
  return {
    get size() {
      return spans.length
    },
    get dropped() {
      return dropped
    },
    add(span) {
      if (spans.length >= maxSpans) {
        dropped++
        return
      }
      spans.push(span)
      if (spans.length === filledAt) onFilled()
    },
    peek: count => spans.slice(0, count),
    release: count => void spans.splice(0, count),
  }
}
