// Classifies the errors of SQLite and PostgreSQL: unavailable, session lost, retryable, not unique.
import { Refusal } from '../domain/errors.ts'

/** BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN: the file cannot be used at the moment. */
const sqliteUnavailable = new Set([5, 6, 8, 10, 13, 14])

/** SQLite's extended codes for UNIQUE and PRIMARY KEY. */
const sqliteUnique = new Set([2067, 1555])

/** Connection errors, lack of resources, shutdown and start, a standby after a failover, timeouts, rejected login. */
const unavailableStates = '08...|53...|57P0[1-4]|57014|55P03|25006|25P0[34]|58000|58030|28000|28P01|3D000'
const unavailableErrors = 'EAI_AGAIN|ECONN.+|E(?:PIPE|TIMEDOUT|NOTFOUND|HOSTUNREACH|NETUNREACH|HOSTDOWN|NOENT|ACCES)'
const postgresUnavailable = new RegExp(`^(?:${unavailableStates}|${unavailableErrors})$`)

/** With these the session can still be used: only the statement was ended or rejected. */
const postgresSessionLives = /^(53...|57014|55P03|25006|58...)$/

/** pg reports these without a code. */
const pgConnectionWords = new RegExp(
  '^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|' +
    'Client has encountered a connection error|Client was closed)',
)

/** Serialization failure and deadlock. */
const postgresRetryable = new Set(['40001', '40P01'])

/** Two rows had the same unique value. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === '23505' || sqliteUnique.has(sqliteCodeOf(error) ?? 0)
}

/** The transaction lost a race and was rolled back as a whole. */
export function isLostRace(error: unknown): boolean {
  return postgresRetryable.has(codeOf(error))
}

/** Whether a statement failed because the database cannot be used at the moment. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'database_unavailable'
}

/** Turns an error of the connection or the file into a retryable refusal; returns any other unchanged. */
export function asUnavailable(error: unknown): unknown {
  return isOutage(error) ? new Refusal('database_unavailable', { cause: error }) : error
}

/** Whether the PostgreSQL session must not be used again after this error. */
export function isSessionLost(error: unknown): boolean {
  return isOutage(error) && !postgresSessionLives.test(codeOf(error))
}

/** The file is not a database, or corrupt. */
export function isCorruption(error: unknown): boolean {
  const code = (sqliteCodeOf(error) ?? 0) & 0xff
  return code === 11 || code === 26
}

/** Another connection holds the lock. */
export function isLocked(error: unknown): boolean {
  return ((sqliteCodeOf(error) ?? 0) & 0xff) === 5
}

/** An error's message for the console at start, without addresses that may contain a password. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const code = codeOf(error)
  return error.message === '' ? code : error.message
}

function isOutage(error: unknown): boolean {
  const sqliteCode = sqliteCodeOf(error)
  if (sqliteCode !== null) return sqliteUnavailable.has(sqliteCode & 0xff)
  const message = error instanceof Error ? error.message : ''
  return postgresUnavailable.test(codeOf(error)) || pgConnectionWords.test(message)
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}

function sqliteCodeOf(error: unknown): number | null {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === 'number' ? code : null
}
