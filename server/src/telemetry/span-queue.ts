// Spans that wait to be sent: a bounded queue that takes the newest last and, when it is full, not at all.
// Knows no transport.
import type { Span, SpanSink } from './span.ts'

export interface SpanQueue extends SpanSink {
  readonly size: number
  /** What there was no room for. */
  readonly dropped: number
  /** The oldest ones, which stay until they are let go. */
  peek(most: number): readonly Span[]
  letGo(count: number): void
}

export function createSpanQueue(most: number, onFilled: () => void, filledAt: number): SpanQueue {
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
      if (spans.length >= most) {
        dropped++
        return
      }
      spans.push(span)
      if (spans.length === filledAt) onFilled()
    },
    peek: count => spans.slice(0, count),
    letGo: count => void spans.splice(0, count),
  }
}
