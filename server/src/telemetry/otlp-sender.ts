// Sends one body to the collector and classifies the outcome: taken, rejected for good, or to be retried. Logs only
// changes of the outcome.
import { isJsonObject, parseJson } from '../domain/json-object.ts'
import type { Log, LogFields } from '../domain/log.ts'
import { OutboundFailure } from '../outbound/failure.ts'
import type { Outbound } from '../outbound/outbound.ts'

type Signal = 'traces' | 'metrics'

export type Outcome =
  /** `rejected`: the number of its spans that the collector rejected. */
  { kind: 'taken'; rejected: number } | { kind: 'refused' } | { kind: 'failed' }

interface SenderOptions {
  endpoint: string
  headers: Readonly<Record<string, string>>
  outbound: Pick<Outbound, 'send'>
  log: Log
  timeoutMs: number
}

/** The statuses after which the protocol requires a retry. */
const passing = new Set([429, 502, 503, 504])
const maxAnswerBytes = 64 * 1024

export function createOtlpSender({ endpoint, headers, outbound, log, timeoutMs }: SenderOptions) {
  const isGood: Record<Signal, boolean> = { traces: true, metrics: true }

  function logChange(signal: Signal, isGoodNow: boolean, fields: LogFields = {}): void {
    if (isGood[signal] === isGoodNow) return
    isGood[signal] = isGoodNow
    if (isGoodNow) log.info('telemetry export works again', { state: signal })
    else log.warn('telemetry export failed, check the OTLP collector', { state: signal, ...fields })
  }

  return async (signal: Signal, body: string): Promise<Outcome> => {
    try {
      const answer = await outbound.send({
        url: `${endpoint}/v1/${signal}`,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        guard: 'operator',
        timeoutMs,
        maxBytes: maxAnswerBytes,
      })
      const { status } = answer
      const isTaken = status >= 200 && status < 300
      logChange(signal, isTaken, { status })
      if (isTaken) return { kind: 'taken', rejected: readRejected(answer.body) }
      return passing.has(status) ? { kind: 'failed' } : { kind: 'refused' }
    } catch (error) {
      const isKnown = error instanceof OutboundFailure
      logChange(signal, false, isKnown ? { reason: error.kind, code: error.reason } : { reason: 'unexpected' })
      return { kind: 'failed' }
    }
  }
}

function readRejected(body: Buffer): number {
  const answer = parseJson(body.toString('utf8'))
  const partial = isJsonObject(answer) ? answer['partialSuccess'] : undefined
  const rejected = isJsonObject(partial) ? Number(partial['rejectedSpans'] ?? 0) : 0
  return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0
}
