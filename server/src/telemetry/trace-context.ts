// Who asked for what within which trace: W3C Trace Context, version 00, read from a caller and written for our own next
// process. Knows no span's content; nothing of a caller's trace state is kept.
import { randomBytes } from 'node:crypto'

export interface TraceContext {
  /** 32 lower-case hex digits. */
  readonly traceId: string
  /** 16 lower-case hex digits. */
  readonly spanId: string
  readonly isSampled: boolean
}

const grammar = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.{0,200})?$/

/** Null where it is not valid: then the trace begins here. */
export function readTraceparent(header: unknown): TraceContext | null {
  if (typeof header !== 'string') return null
  const found = grammar.exec(header)
  if (found === null) return null
  const [, version, traceId = '', spanId = '', flags = '', more] = found
  // Later versions may say more behind the flags; this one does not.
  if (version === 'ff' || (version === '00' && more !== undefined)) return null
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export function writeTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

export const newTraceId = (): string => takeRandom(16)
export const newSpanId = (): string => takeRandom(8)

/** Asked for by the kilobyte: each call for randomness costs more than the bytes do. */
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
