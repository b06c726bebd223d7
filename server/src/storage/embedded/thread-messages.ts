// What the main thread and the thread of the embedded database send each other: lists of commands and of replies, as
// JSON. What has a long text is sent by itself and as it is: the runtime copies a text in a fraction of the time that
// JSON's escapes take. Imports nothing but types: the thread loads it too.
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

/** A list as JSON, or one by itself. Before they are joined, the JSON is of one too. */
export type ThreadMessage<Sent> = string | readonly [Sent]

/** Joins those that are JSON to lists: one, unless that would be long. */
export function joinMessages<Sent>(each: readonly ThreadMessage<Sent>[]): ThreadMessage<Sent>[] {
  const messages: ThreadMessage<Sent>[] = []
  let joined = ''
  const send = () => {
    if (joined !== '') messages.push(`[${joined}]`)
    joined = ''
  }
  for (const message of each) {
    if (typeof message !== 'string' || joined.length + message.length > maxJoined) send()
    if (typeof message !== 'string') messages.push(message)
    else joined = joined === '' ? message : `${joined},${message}`
  }
  send()
  return messages
}

export function readMessage<Sent>(message: ThreadMessage<Sent>): readonly Sent[] {
  return typeof message === 'string' ? (JSON.parse(message) as Sent[]) : message
}

/** In UTF-16 units. */
const longText = 262_144

export function hasLongText(values: readonly unknown[]): boolean {
  for (const value of values) if (typeof value === 'string' && value.length >= longText) return true
  return false
}
