// Reads the code of a Redis error, its first word, and logs it. Must not log the rest of the error, which may quote
// keys and values.
import type { Log } from '../../../domain/log.ts'
import { sparseLogOf } from '../../../log/sparse-log.ts'

/** Full memory, a replica after a fail-over, disk errors, a starting server, authentication, permissions, scripts. */
const words = new Set(
  (
    'OOM READONLY MISCONF NOREPLICAS MASTERDOWN LOADING BUSY NOAUTH WRONGPASS NOPERM DENIED CLUSTERDOWN MOVED ASK ' +
    'TRYAGAIN CROSSSLOT WRONGTYPE NOSCRIPT UNKILLABLE NOGROUP BUSYGROUP BUSYKEY NOPROTO EXECABORT ERR'
  ).split(' '),
)

/** `ERR` for an unknown word: even the first word may quote a key or a value. */
export function errorCodeOf(text: string): string {
  const [word] = text.split(' ', 1)
  return word !== undefined && words.has(word) ? word : 'ERR'
}

export function createRefusalLog(log: Log): (word: string) => void {
  const sparseLog = sparseLogOf(log)
  return word => sparseLog.warn('redis rejected a command', word, { code: word })
}
