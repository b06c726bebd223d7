// Why Redis refuses a command, in its own first word, and the line in the log when it begins to. Never more of what it
// says: the rest may quote keys and values.
import type { Log } from '../domain/log.ts'

/** Memory full, a replica after a fail-over, a disk that cannot be written, starting, logins and rights, faults of scripts. */
const words = new Set(
  (
    'OOM READONLY MISCONF NOREPLICAS MASTERDOWN LOADING BUSY NOAUTH WRONGPASS NOPERM DENIED CLUSTERDOWN MOVED ASK ' +
    'TRYAGAIN CROSSSLOT WRONGTYPE NOSCRIPT UNKILLABLE NOGROUP BUSYGROUP BUSYKEY NOPROTO EXECABORT ERR'
  ).split(' '),
)

/** Null for whatever is not an answer of Redis. */
export function refusalWordOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const [word] = error.message.split(' ', 1)
  return word !== undefined && words.has(word) ? word : null
}

/** A refusal that goes on is told again so often, and not for each request. */
const tellEveryMs = 60_000

export function createRefusalTeller(log: Log): (word: string) => void {
  const toldAt = new Map<string, number>()
  return word => {
    const now = performance.now()
    if (now - (toldAt.get(word) ?? Number.NEGATIVE_INFINITY) < tellEveryMs) return
    toldAt.set(word, now)
    log.warn('redis refuses commands', { code: word })
  }
}
