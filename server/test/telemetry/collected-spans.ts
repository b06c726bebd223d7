// The spans that a scripted collector was sent, flat and with plain values. Knows the protocol's JSON form alone.
import type { UpstreamRequest } from '../support/simulated/scripted-upstream.ts'

export interface CollectedSpan {
  traceId: string
  spanId: string
  parentSpanId: string | null
  name: string
  kind: number
  /** Epoch milliseconds. */
  startedAt: number
  endedAt: number
  isFailed: boolean
  attributes: Record<string, unknown>
}

interface Value {
  stringValue?: string
  intValue?: string
  doubleValue?: number
  boolValue?: boolean
}

interface WireSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: Value }[]
  status: { code?: number }
}

interface Body {
  resourceSpans: { scopeSpans: { spans: WireSpan[] }[] }[]
}

export function spansOf(requests: readonly UpstreamRequest[]): CollectedSpan[] {
  return requests
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/v1/traces'))
    .flatMap(({ body }) => (JSON.parse(body) as Body).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(flatten)))
}

function flatten({ parentSpanId, startTimeUnixNano, endTimeUnixNano, attributes, status, ...span }: WireSpan) {
  return {
    ...span,
    parentSpanId: parentSpanId ?? null,
    startedAt: Number(startTimeUnixNano) / 1e6,
    endedAt: Number(endTimeUnixNano) / 1e6,
    isFailed: status.code === 2,
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)])),
  }
}

function plain({ stringValue, intValue, doubleValue, boolValue }: Value): unknown {
  if (intValue !== undefined) return Number(intValue)
  return stringValue ?? doubleValue ?? boolValue
}
