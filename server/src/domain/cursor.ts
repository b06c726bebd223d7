// Pages of growing lists: `limit`, and an opaque cursor that identifies its list and holds the sort key of the
// last row.

import { hash } from 'node:crypto'
import { Refusal } from './errors.ts'
import { parseJson } from './json-object.ts'
import { isStorable } from './stored-text.ts'

type SortKey = readonly (string | number)[]
/** The types of a sort key's parts, e.g. `['number', 'string']` for a time and an id. */
type SortKeyShape = readonly ('string' | 'number')[]
type KeyOf<S extends SortKeyShape> = { -readonly [I in keyof S]: S[I] extends 'number' ? number : string }

interface GrowingList<S extends SortKeyShape> {
  /**
   * The list's name, its owner, and anything else that changes what a position means. A cursor of another list
   * is invalid.
   */
  list: readonly [name: string, ...string[]]
  key: S
}

export interface Page<K extends SortKey> {
  limit: number
  /** Null on the first page. */
  after: K | null
  /** Returns the cursor of the page after the row with this key. */
  cursorAfter(key: K): string
}

const maxLimit = 200
const defaultLimit = 50
const maxCursorLength = 8192

/** Takes `limit` and `cursor` as a query string gives them: strings, or arrays of strings if they were repeated. */
export function getPage<const S extends SortKeyShape>(
  query: { limit?: unknown; cursor?: unknown },
  { list, key }: GrowingList<S>,
): Page<KeyOf<S>> {
  const limit = parseLimit(query.limit)
  if (limit === null) return refuse('limit', `limit must be an integer 1-${maxLimit}`)
  const mark = markOf(list)
  const cursorAfter = (last: KeyOf<S>) => encodeCursor(mark, last)
  if (query.cursor === undefined) return { limit, after: null, cursorAfter }
  const after = typeof query.cursor === 'string' ? decodeCursor(query.cursor, mark, key) : null
  return after === null ? refuse('cursor', 'cursor is not valid') : { limit, after, cursorAfter }
}

/** A digest: short for names of any length, and without user ids in plain text. */
function markOf(list: readonly string[]): string {
  return hash('sha256', JSON.stringify(list), 'base64url').slice(0, 12)
}

function encodeCursor(mark: string, key: SortKey): string {
  return Buffer.from(JSON.stringify([mark, ...key])).toString('base64url')
}

/** Returns null for anything that `encodeCursor` would not have written for this mark and a key of this shape. */
function decodeCursor<S extends SortKeyShape>(cursor: string, mark: string, shape: S): KeyOf<S> | null {
  if (cursor.length > maxCursorLength) return null
  const parts = parseJson(Buffer.from(cursor, 'base64url').toString())
  if (!Array.isArray(parts)) return null
  const key: unknown[] = parts.slice(1)
  return isKeyOf(key, shape) && encodeCursor(mark, key) === cursor ? key : null
}

function parseLimit(value: unknown): number | null {
  if (value === undefined) return defaultLimit
  if (typeof value !== 'string' || !/^[0-9]{1,3}$/.test(value)) return null
  const limit = Number(value)
  return limit >= 1 && limit <= maxLimit ? limit : null
}

function isKeyOf<S extends SortKeyShape>(key: unknown[], shape: S): key is unknown[] & KeyOf<S> {
  return key.length === shape.length && key.every((part, index) => isPart(part, shape[index]))
}

/** The parts become parameters of a query: text that the database cannot store would be an error there. */
function isPart(part: unknown, kind: 'string' | 'number' | undefined): boolean {
  if (kind === 'number') return Number.isSafeInteger(part)
  return typeof part === 'string' && isStorable(part)
}

function refuse(param: string, message: string): never {
  throw new Refusal('validation_failed', { message, param })
}
