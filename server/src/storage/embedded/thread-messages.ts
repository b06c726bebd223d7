// What the main thread and the thread of the embedded database send each other: lists of commands and of replies, as
// JSON. Imports nothing but types: the thread loads it too.
import type { CarriedError } from '../carried/carried-error.ts'
import type { CarriedResult } from '../carried/carried-result.ts'
import type { FileStatements } from '../request-log/file-statements.ts'

/** Sent in lists. `day`: in the file of that day of the request log; null for the database. */
export type Command =
  | readonly ['run', sql: string, carried: readonly unknown[], day: string | null]
  | readonly ['begin' | 'commit' | 'rollBack', day: string | null]
  | readonly ['close']
  | readonly ['dropDay', day: string]

/** Sent in lists, one for each command, and one before them: whether the file was opened. */
export type ThreadReply = { done: CarriedResult } | { failure: CarriedError }

export interface ThreadData {
  file: string
  /** The folder of the files of days. */
  daysFolder: string
  statements: FileStatements
  /** Whether the whole file is checked before it is used. */
  isSuspect: boolean
}

/** In characters. A list of long texts could be too long for one. */
const maxJoined = 1_000_000

/** Joins JSON texts to lists: one, unless that would be long. */
export function joinTexts(texts: readonly string[]): string[] {
  const lists: string[] = []
  let joined = ''
  for (const text of texts) {
    if (joined !== '' && joined.length + text.length > maxJoined) {
      lists.push(`[${joined}]`)
      joined = ''
    }
    joined = joined === '' ? text : `${joined},${text}`
  }
  if (joined !== '') lists.push(`[${joined}]`)
  return lists
}
