// One span as it is exported. Its attributes are what semantic-conventions.ts names; there is no field for a text.

export interface Span {
  traceId: string
  spanId: string
  parentSpanId: string | null
  name: string
  kind: 'server' | 'client'
  /** Epoch milliseconds with their fraction. */
  startedAt: number
  endedAt: number
  attributes: Record<string, string | number | boolean>
  isFailed: boolean
}

/** Takes spans without waiting; what it has no room for it drops and counts. */
export interface SpanSink {
  add(span: Span): void
}
