// Encodes OTLP as JSON, as bodies for /v1/traces and /v1/metrics. 64-bit numbers are strings there, ids are hex.
import { endpointRows } from '../domain/conversation/operations.ts'
import { providerKinds, telemetryNameOf } from '../domain/provider.ts'
import type { Family, HistogramPoint, Point } from './registry.ts'
import { attributes, conventionalMetrics } from './semantic-conventions.ts'
import type { Span } from './span.ts'

export type Attributes = Readonly<Record<string, string | number | boolean>>

const scope = { name: 'sallyport' }
const spanKinds = { server: 2, client: 3 } as const
const failedStatus = { code: 2 }
const cumulative = 2

export function tracesBody(resource: Attributes, spans: readonly Span[]): string {
  const scopeSpans = [{ scope, spans: spans.map(writeSpan) }]
  return JSON.stringify({ resourceSpans: [{ resource: { attributes: writeAttributes(resource) }, scopeSpans }] })
}

function writeSpan({ traceId, spanId, parentSpanId, name, kind, startedAt, endedAt, attributes, isFailed }: Span) {
  return {
    traceId,
    spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    name,
    kind: spanKinds[kind],
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(Math.max(startedAt, endedAt)),
    attributes: writeAttributes(attributes),
    status: isFailed ? failedStatus : {},
  }
}

export function metricsBody(resource: Attributes, families: readonly Family[], startedAt: number, now: number): string {
  const times = { startTimeUnixNano: nanoseconds(startedAt), timeUnixNano: nanoseconds(now) }
  const metrics = families.filter(({ points }) => points.length > 0).map(family => writeFamily(family, times))
  const scopeMetrics = [{ scope, metrics }]
  return JSON.stringify({ resourceMetrics: [{ resource: { attributes: writeAttributes(resource) }, scopeMetrics }] })
}

type WireTimes = { startTimeUnixNano: string; timeUnixNano: string }

function writeFamily(family: Family, times: WireTimes) {
  const conventional = conventionalMetrics[family.name]
  const name = conventional?.name ?? family.name
  const head = { name, description: family.help, unit: conventional?.unit ?? unitOf(family.name) }
  const attributesOf = ({ labels }: Point | HistogramPoint) => writeAttributes(nameLabels(family.name, labels))
  if (family.kind === 'histogram') {
    const dataPoints = family.points.map(point => ({
      ...times,
      attributes: attributesOf(point),
      ...writeBuckets(family.bounds, point),
    }))
    return { ...head, histogram: { aggregationTemporality: cumulative, dataPoints } }
  }
  const dataPoints = family.points.map(point => ({ ...times, attributes: attributesOf(point), asDouble: point.value }))
  if (family.kind === 'gauge') return { ...head, gauge: { dataPoints } }
  return { ...head, sum: { aggregationTemporality: cumulative, isMonotonic: true, dataPoints } }
}

function writeBuckets(bounds: readonly number[], { counts, sum }: HistogramPoint) {
  const count = counts.reduce((total, each) => total + each, 0)
  return { count: String(count), sum, bucketCounts: counts.map(String), explicitBounds: bounds }
}

function nameLabels(family: string, labels: Point['labels']): Attributes {
  const conventional = conventionalMetrics[family]
  if (conventional === undefined) return Object.fromEntries(labels)
  const named: Record<string, Attributes[string]> = { ...conventional.always }
  for (const [label, value] of labels) {
    named[conventional.labels[label] ?? label] = label === 'provider' ? nameProvider(value) : value
    if (label === 'endpoint') named[attributes.operation] = nameOperation(value)
  }
  return named
}

/** A value that is in none of the tables, such as the one for all further values, stays. */
function nameOperation(label: string): string {
  return endpointRows.find(({ name }) => name === label)?.operation.telemetryName ?? label
}

function nameProvider(label: string): string {
  const kind = providerKinds.find(each => each === label)
  return kind === undefined ? label : telemetryNameOf(kind)
}

/** Our metric names end in the unit. */
function unitOf(name: string): string {
  if (/_seconds(_total)?$/.test(name)) return 's'
  return /_bytes(_total)?$/.test(name) ? 'By' : '1'
}

function writeAttributes(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: writeValue(value) }))
}

function writeValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

/** With microseconds, the precision of a number. */
function nanoseconds(epochMs: number): string {
  return `${Math.round(epochMs * 1_000)}000`
}
