// Why Redis refuses a command, in its own first word, and the line in the log when it begins to. Never more of what it
// says: the rest may quote keys and values.
import type { Log } from '../../../domain/log.ts'
import { sparseLogOf } from '../../../log/sparse-log.ts'

/** Memory full, a replica after a fail-over, a disk that cannot be written, starting, logins and rights, faults of scripts. */
const words = new Set(
  (
    'OOM READONLY MISCONF NOREPLICAS MASTERDOWN LOADING BUSY NOAUTH WRONGPASS NOPERM DENIED CLUSTERDOWN MOVED ASK ' +
    'TRYAGAIN CROSSSLOT WRONGTYPE NOSCRIPT UNKILLABLE NOGROUP BUSYGROUP BUSYKEY NOPROTO EXECABORT ERR'
  ).split(' '),
)

/** `ERR` for one that is not known: the rest of what it says may quote keys and values, and so may its first word. */
export function refusalWordOf(text: string): string {
  const [word] = text.split(' ', 1)
  return word !== undefined && words.has(word) ? word : 'ERR'
}

export function createRefusalLog(log: Log): (word: string) => void {
  const sparseLog = sparseLogOf(log)
  return word => sparseLog.warn('redis refuses commands', word, { code: word })
}
