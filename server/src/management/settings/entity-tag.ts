// Tags of what a route reads and writes (ETag, If-Match): a write is refused if it would overwrite what its sender has
// not seen.

import { createHash } from 'node:crypto'
import { Refusal } from '../../domain/errors.ts'
import { canonicalJson } from '../../domain/json-object.ts'

/** Identifies the value, whatever the order of its fields. */
export function entityTag(value: unknown): string {
  return `"${createHash('sha256').update(canonicalJson(value)).digest('base64url').slice(0, 27)}"`
}

/** `wanted` is the header of the request; without it, every value is as good. */
export function checkIfMatch(wanted: string | undefined, value: () => unknown): void {
  if (wanted === undefined || wanted.trim() === '*') return
  const tag = entityTag(value())
  if (!wanted.split(',').some(one => one.trim() === tag)) throw new Refusal('draft_changed')
}

/** As the routes that honour it declare it. */
export const ifMatchHeader = { 'If-Match': 'The ETag that was read: 409 if the draft has changed since' }
