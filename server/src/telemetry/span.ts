// One span as it is exported. Its attributes are those of semantic-conventions.ts; there is no field for text.

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

/** Takes spans without waiting; drops and counts those beyond its capacity. */
export interface SpanSink {
  add(span: Span): void
}
