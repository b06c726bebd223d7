// Sends queued spans, batch after batch. A batch that failed is retried after a growing back-off; one that is rejected
// for good is dropped and counted. Must never delay a request.
import type { Outcome } from './otlp-sender.ts'
import type { Registry } from './registry.ts'
import type { Span, SpanSink } from './span.ts'
import { createSpanQueue } from './span-queue.ts'

interface SpanExporterOptions {
  send: (spans: readonly Span[]) => Promise<Outcome>
  registry: Registry
  everyMs: number
  maxSpans: number
}

export interface SpanExporter extends SpanSink {
  /** Sends the rest once more, and then stops for good. */
  finish(): Promise<void>
}

/** Bounded, because a body is serialised synchronously. */
const batchSpans = 128
const maxPauseMs = 30_000

export function createSpanExporter({ send, registry, everyMs, maxSpans }: SpanExporterOptions): SpanExporter {
  const queue = createSpanQueue(maxSpans, () => schedule(0), batchSpans)
  let refused = 0
  let failures = 0
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | null = null
  let isFinished = false

  function schedule(afterMs: number): void {
    // New spans must not shorten the back-off for a collector that is down.
    if (isFinished || sending !== null || (failures > 0 && afterMs === 0)) return
    clearTimeout(timer)
    timer = setTimeout(() => void sendAll(), afterMs)
    timer.unref()
  }

  async function sendBatches(): Promise<void> {
    while (queue.size > 0) {
      const batch = queue.peek(batchSpans)
      const outcome = await send(batch)
      failures = outcome.kind === 'failed' ? failures + 1 : 0
      if (outcome.kind === 'failed') return
      queue.release(batch.length)
      refused += outcome.kind === 'refused' ? batch.length : Math.min(outcome.rejected, batch.length)
    }
  }

  function sendAll(): Promise<void> {
    sending ??= sendBatches().finally(() => {
      sending = null
      schedule(failures === 0 ? everyMs : Math.min(maxPauseMs, everyMs * 2 ** Math.min(failures - 1, 10)))
    })
    return sending
  }

  const { reading } = registry
  const dropped = {
    name: 'sallyport_spans_dropped_total',
    help: 'Spans that never arrived at the collector.',
    label: 'reason',
  }
  reading('counter', dropped, () => [
    ['queue_full', queue.dropped],
    ['refused', refused],
  ])
  reading('gauge', { name: 'sallyport_spans_waiting', help: 'Spans queued for the collector.' }, () => queue.size)
  schedule(everyMs)
  return {
    add: queue.add,
    async finish() {
      isFinished = true
      clearTimeout(timer)
      await sendAll()
    },
  }
}
