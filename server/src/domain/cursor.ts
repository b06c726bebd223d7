// Pages of growing lists: the opaque cursor, which carries the sort key of the last row, and `limit`.

import { accept, type Checked, refuse } from './checked.ts'
import { Refusal } from './errors.ts'
import { parseJson } from './json-object.ts'
import { isStorable } from './stored-text.ts'

export type SortKey = readonly (string | number)[]

/** What the parts of a list's sort key are, e.g. `['number', 'string']` for a time and an id. */
export type SortKeyShape = readonly ('string' | 'number')[]

export interface Page<K extends SortKey = SortKey> {
  limit: number
  /** Null on the first page. */
  after: K | null
}

type KeyOf<S extends SortKeyShape> = { -readonly [I in keyof S]: S[I] extends 'number' ? number : string }

const maxLimit = 200
const defaultLimit = 50
const maxCursorLength = 8192
/** Also for cursors of the right shape that were made for another list. */
export const invalidCursor = 'cursor is not valid'

export function encodeCursor(key: SortKey): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}

/** Null for anything that `encodeCursor` would not have made from a key of this shape. */
export function decodeCursor<const S extends SortKeyShape>(cursor: string, shape: S): KeyOf<S> | null {
  if (cursor.length > maxCursorLength) return null
  const text = Buffer.from(cursor, 'base64url').toString()
  const key = parseJson(text)
  if (!isKeyOf(key, shape) || encodeCursor(key) !== cursor) return null
  return key
}

/** `limit` and `cursor` as a query string gives them: strings, or lists of strings where they were repeated. */
export function parsePage<const S extends SortKeyShape>(
  query: { limit?: unknown; cursor?: unknown },
  shape: S,
): Checked<Page<KeyOf<S>>> {
  const limit = parseLimit(query.limit)
  if (limit === null) return refuse(`limit must be an integer 1-${maxLimit}`)
  if (query.cursor === undefined) return accept({ limit, after: null })
  const after = typeof query.cursor === 'string' ? decodeCursor(query.cursor, shape) : null
  return after === null ? refuse(invalidCursor) : accept({ limit, after })
}

/** The page, or a 400 that names the field at fault. */
export function getPage<const S extends SortKeyShape>(
  query: { limit?: unknown; cursor?: unknown },
  shape: S,
): Page<KeyOf<S>> {
  const checked = parsePage(query, shape)
  if (checked.ok) return checked.value
  const param = parseLimit(query.limit) === null ? 'limit' : 'cursor'
  throw new Refusal('validation_failed', { message: checked.message, param })
}

function parseLimit(value: unknown): number | null {
  if (value === undefined) return defaultLimit
  if (typeof value !== 'string' || !/^[0-9]{1,3}$/.test(value)) return null
  const limit = Number(value)
  return limit >= 1 && limit <= maxLimit ? limit : null
}

function isKeyOf<S extends SortKeyShape>(key: unknown, shape: S): key is KeyOf<S> {
  return Array.isArray(key) && key.length === shape.length && key.every((part, index) => isPart(part, shape[index]))
}

/** Parts become bound values of a query: text that no database holds would be a fault there. */
function isPart(part: unknown, kind: 'string' | 'number' | undefined): boolean {
  if (kind === 'number') return Number.isSafeInteger(part)
  return typeof part === 'string' && isStorable(part)
}
