// The spans of one request: the server's own, and one for each try at a provider below it. Whether a trace is taken the
// caller has decided, who sent one along, or else the ratio. Knows no transport and no content.

import type { WatchedCall } from '../domain/metrics.ts'
import type { PlaneRequest } from '../http/exchange.ts'
import { attributes as named, operationName, providerNames } from './semantic-conventions.ts'
import type { Span, SpanSink } from './span.ts'
import { newSpanId, newTraceId, readTraceparent, type TraceContext, writeTraceparent } from './trace-context.ts'

export interface Tracer {
  /** Tells the next process of ours of this request's trace, in the headers that it is sent on with. */
  carry(request: PlaneRequest): void
  served(request: PlaneRequest, served: Served): void
  /** One try at a provider below the request's own span; null where the trace is not taken. */
  startTry(request: object, call: WatchedCall): TrySpan | null
}

interface Served {
  route: string
  /** Null where no answer was begun. */
  status: number | null
  /** A refusal's code, or what became of the answer. */
  error: string | null
  durationMs: number
}

export interface TrySpan {
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

// On the request itself: in a WeakMap each entry would outlive the collections that it should die in.
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
      // It belongs to the trace that was asked for; one that begins here has none.
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
        // The client's own faults are no failure of the server.
        isFailed: status === null ? error !== null : status >= 500,
      })
    },
    startTry(request, call) {
      const { traceId, spanId, isSampled } = getTrace(request as Traced)
      return isSampled ? startTrySpan(sink, { traceId, parentSpanId: spanId }, call) : null
    },
  }
}

function startTrySpan(
  sink: SpanSink,
  parent: { traceId: string; parentSpanId: string },
  { provider, model, isStream }: WatchedCall,
): TrySpan {
  const startedAt = epochNow()
  const attributes: Span['attributes'] = {
    [named.operation]: operationName,
    [named.provider]: providerNames[provider],
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
        name: model === null ? operationName : `${operationName} ${model}`,
        kind: 'client',
        startedAt,
        endedAt: epochNow(),
        attributes,
        isFailed: error !== null,
      })
    },
  }
}
