// Reads W3C Trace Context, version 00, from a caller and writes it for our own next process. Drops a caller's trace
// state.
import { randomBytes } from 'node:crypto'

export interface TraceContext {
  /** 32 lower-case hex digits. */
  readonly traceId: string
  /** 16 lower-case hex digits. */
  readonly spanId: string
  readonly isSampled: boolean
}

const grammar = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.{0,200})?$/

/** Null if it is invalid: then a new trace begins here. */
export function readTraceparent(header: unknown): TraceContext | null {
  if (typeof header !== 'string') return null
  const found = grammar.exec(header)
  if (found === null) return null
  const [, version, traceId = '', spanId = '', flags = '', more] = found
  // Later versions may add fields after the flags; this one does not.
  if (version === 'ff' || (version === '00' && more !== undefined)) return null
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export function writeTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

export const newTraceId = (): string => takeRandom(16)
export const newSpanId = (): string => takeRandom(8)

/** Random bytes are fetched by the kilobyte: each call costs more than its bytes. */
let pool = Buffer.alloc(0)
let used = 0

function takeRandom(bytes: number): string {
  if (used + bytes > pool.length) {
    pool = randomBytes(4_096)
    used = 0
  }
  used += bytes
  return pool.toString('hex', used - bytes, used)
}
