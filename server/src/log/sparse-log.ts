// Limits lines that every request of an outage would write: one a minute for each kind, with the number of occurrences.

import type { Log, LogFields } from '../domain/log.ts'

/** Lines with different `kind` are limited separately; it never reaches the line. */
type LogSparsely = (event: string, kind: string, fields: Omit<LogFields, 'count'>) => void

export type SparseLog = Record<'warn' | 'error', LogSparsely>

const sparseLogs = new WeakMap<Log, SparseLog>()

/** The same object for every caller. */
export function sparseLogOf(log: Log): SparseLog {
  const known = sparseLogs.get(log)
  if (known !== undefined) return known
  const made = createSparseLog(log)
  sparseLogs.set(log, made)
  return made
}

/** Errors with the same text are one kind, so that different errors do not hide each other. */
export function kindOfError(error: unknown): string {
  return error instanceof Error ? `${error.name} ${error.message.slice(0, 100)}` : ''
}

const intervalMs = 60_000
/** All counts are reset when there are more kinds than this. */
const maxKinds = 10_000

export function createSparseLog(log: Log, now: () => number = () => performance.now()): SparseLog {
  const lastLines = new Map<string, { at: number; leftOut: number }>()
  const at =
    (level: keyof SparseLog): LogSparsely =>
    (event, kind, fields) => {
      const name = `${event} ${kind}`
      const last = lastLines.get(name)
      const time = now()
      if (last !== undefined && time - last.at < intervalMs) {
        last.leftOut += 1
        return
      }
      if (lastLines.size >= maxKinds) lastLines.clear()
      lastLines.set(name, { at: time, leftOut: 0 })
      log[level](event, { ...fields, count: 1 + (last?.leftOut ?? 0) })
    }
  return { warn: at('warn'), error: at('error') }
}
