// Transport of guardrail events from the replicas to the worker that stores them. Each event is delivered at least
// once.

/** Names in `countDrops` for drops that are not due to a tenant's quota. */
export const trimmedEvents = ''
export const malformedEvents = 'malformed'

export interface StreamEvent {
  id: string
  fields: Record<string, string>
}

export interface EventStream {
  /** Above the tenant's quota per minute, the event is dropped and counted. */
  emitEvent(tenantId: string, fields: Record<string, string>, quotaPerMinute: number): Promise<'stored' | 'dropped'>
  /** Takes at most `count` events without waiting, first those claimed `idleMs` ago and never acknowledged. */
  claimEvents(consumer: string, count: number, idleMs: number): Promise<StreamEvent[]>
  acknowledgeEvents(ids: readonly string[]): Promise<void>
  /** Acknowledges unusable events, and counts each once as dropped (`malformedEvents`). */
  discardEvents(ids: readonly string[]): Promise<void>
  /**
   * Events dropped so far: above a tenant's quota (by tenant), trimmed from the stream before they were acknowledged
   * (`trimmedEvents`), or discarded (`malformedEvents`). Emitted = acknowledged + still in the stream + dropped.
   */
  countDrops(): Promise<Record<string, number>>
}
