// Sends spans and metrics to the operator's collector, over HTTP in JSON. Must never delay a request: its buffers are
// bounded, and what it drops is counted.
import type { Log } from '../domain/log.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { type Attributes, metricsBody, tracesBody } from './otlp-body.ts'
import { createOtlpSender, type Outcome } from './otlp-sender.ts'
import type { Registry } from './registry.ts'
import type { SpanSink } from './span.ts'
import { createSpanExporter } from './span-exporter.ts'

interface OtlpOptions {
  /** The base URL, without `/v1/traces` or `/v1/metrics`. */
  endpoint: string
  headers: Readonly<Record<string, string>>
  metricsEveryMs: number
  resource: Attributes
  registry: Registry
  outbound: Pick<Outbound, 'send'>
  log: Log
  spansEveryMs?: number
  maxSpans?: number
  timeoutMs?: number
}

export interface OtlpExporter extends SpanSink {
  /** Sends the rest, within a short timeout. */
  stop(): Promise<void>
}

const lastMs = 2_000

export function createOtlpExporter(options: OtlpOptions): OtlpExporter {
  const { registry, resource, spansEveryMs = 2_000, maxSpans = 8_192 } = options
  const send = createOtlpSender({ timeoutMs: 10_000, ...options })
  const spans = createSpanExporter({
    send: batch => send('traces', tracesBody(resource, batch)),
    registry,
    everyMs: spansEveryMs,
    maxSpans,
  })
  let sending: Promise<Outcome> | null = null

  function sendMetrics(): Promise<Outcome> {
    const write = () => metricsBody(resource, registry.families(), performance.timeOrigin, Date.now())
    sending ??= send('metrics', write()).finally(() => {
      sending = null
    })
    return sending
  }

  const timer = setInterval(() => void sendMetrics(), options.metricsEveryMs)
  timer.unref()
  return {
    add: spans.add,
    async stop() {
      clearInterval(timer)
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const deadline = setTimeout(resolve, lastMs)
      await Promise.race([Promise.all([spans.finish(), sendMetrics()]), late])
      clearTimeout(deadline)
    },
  }
}
