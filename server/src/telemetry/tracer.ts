// The spans of one request: the server's own, and one for each attempt at a provider below it. The caller's trace
// context decides whether the trace is sampled, otherwise the ratio.

import { endpoints } from '../domain/conversation/operations.ts'
import type { WatchedCall } from '../domain/metrics.ts'
import { telemetryNameOf } from '../domain/provider.ts'
import type { PlaneRequest } from '../http/exchange.ts'
import { attributes as named } from './semantic-conventions.ts'
import type { Span, SpanSink } from './span.ts'
import { newSpanId, newTraceId, readTraceparent, type TraceContext, writeTraceparent } from './trace-context.ts'

export interface Tracer {
  /** Adds this request's trace to the headers that are forwarded to our next process. */
  carry(request: PlaneRequest): void
  served(request: PlaneRequest, served: Served): void
  /** Starts a span for one attempt at a provider; null if the trace is not sampled. */
  startAttemptSpan(request: object, call: WatchedCall): AttemptSpan | null
}

interface Served {
  route: string
  /** Null if no response was begun. */
  status: number | null
  /** A refusal's code, or how the answer ended. */
  error: string | null
  durationMs: number
}

export interface AttemptSpan {
  end(outcome: TryOutcome): void
}

interface TryOutcome {
  error: string | null
  status: number | null
  firstMs: number | null
  tokens: { promptTokens: number; completionTokens: number } | null
}

interface RequestTrace extends TraceContext {
  readonly parentSpanId: string | null
}

// Stored on the request itself: entries of a WeakMap survive minor garbage collections.
const traceOf = Symbol('trace')

type Traced = PlaneRequest & { [traceOf]?: RequestTrace }

const epochNow = (): number => performance.timeOrigin + performance.now()

export function createTracer({ ratio, sink }: { ratio: number; sink: SpanSink }): Tracer {
  function getTrace(request: Traced): RequestTrace {
    const known = request[traceOf]
    if (known !== undefined) return known
    const parent = readTraceparent(request.headers?.traceparent)
    const trace: RequestTrace = {
      traceId: parent?.traceId ?? newTraceId(),
      spanId: newSpanId(),
      parentSpanId: parent?.spanId ?? null,
      isSampled: parent?.isSampled ?? Math.random() < ratio,
    }
    request[traceOf] = trace
    return trace
  }

  return {
    carry(request) {
      const trace = getTrace(request)
      request.headers.traceparent = writeTraceparent(trace)
      // The trace state belongs to the caller's trace; a trace that begins here has none.
      if (trace.parentSpanId === null) delete request.headers.tracestate
    },
    served(request, { route, status, error, durationMs }) {
      const { traceId, spanId, parentSpanId, isSampled } = getTrace(request)
      if (!isSampled) return
      const endedAt = epochNow()
      const method = request.method ?? ''
      const attributes: Span['attributes'] = { [named.httpMethod]: method, [named.httpRoute]: route }
      if (status !== null) attributes[named.httpStatus] = status
      if (error !== null) attributes[named.errorType] = error
      sink.add({
        traceId,
        spanId,
        parentSpanId,
        name: `${method} ${route}`,
        kind: 'server',
        startedAt: endedAt - durationMs,
        endedAt,
        attributes,
        // A client error is not a failure of the server.
        isFailed: status === null ? error !== null : status >= 500,
      })
    },
    startAttemptSpan(request, call) {
      const { traceId, spanId, isSampled } = getTrace(request as Traced)
      return isSampled ? openAttemptSpan(sink, { traceId, parentSpanId: spanId }, call) : null
    },
  }
}

function openAttemptSpan(
  sink: SpanSink,
  parent: { traceId: string; parentSpanId: string },
  { endpoint, provider, model, isStream }: WatchedCall,
): AttemptSpan {
  const startedAt = epochNow()
  const operation = endpoints[endpoint].operation.telemetryName
  const attributes: Span['attributes'] = {
    [named.operation]: operation,
    [named.provider]: telemetryNameOf(provider),
    [named.requestStream]: isStream,
  }
  if (model !== null) attributes[named.requestModel] = model
  return {
    end({ error, status, firstMs, tokens }) {
      if (error !== null) attributes[named.errorType] = error
      if (status !== null) attributes[named.httpStatus] = status
      if (firstMs !== null && isStream) attributes[named.timeToFirstChunk] = firstMs / 1_000
      if (tokens !== null) {
        attributes[named.inputTokens] = tokens.promptTokens
        attributes[named.outputTokens] = tokens.completionTokens
      }
      sink.add({
        ...parent,
        spanId: newSpanId(),
        name: model === null ? operation : `${operation} ${model}`,
        kind: 'client',
        startedAt,
        endedAt: epochNow(),
        attributes,
        isFailed: error !== null,
      })
    },
  }
}
