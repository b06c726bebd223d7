// What the main thread and the thread of the embedded database send each other: lists of commands and of replies, as
// JSON. Imports nothing but types: the thread loads it too.
import type { CarriedError } from '../carried/carried-error.ts'
import type { CarriedResult } from '../carried/carried-result.ts'

/** Sent in lists. */
export type Command =
  | readonly ['run', sql: string, carried: readonly unknown[]]
  | readonly ['begin' | 'commit' | 'rollBack' | 'close']

/** Sent in lists, one for each command, and one before them: whether the file was opened. */
export type ThreadReply = { done: CarriedResult } | { failure: CarriedError }

export interface ThreadData {
  file: string
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
