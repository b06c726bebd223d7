// What an act changed: the members that differ, before and after it. A secret never appears: a changed one is named.

import { canonicalJson, type JsonObject, parseJson } from '../json-object.ts'

const secretColumns = new Set([
  'ciphertext',
  'digest',
  'hash',
  'key_digest',
  'password_hash',
  'previous_digest',
  'token_digest',
])
/** Change by themselves, or say no more than the entry's own time. */
const leftOut = new Set(['claim', 'claimed_until', 'due_at', 'is_slow', 'key_set', 'last_seen_at', 'last_used_at'])
const alsoLeftOut = new Set(['provider_keys_revision', 'revision', 'updated_at'])
const times = /_(?:at|until)$/
const maxCharacters = 1_000

export interface Differences {
  before: JsonObject | null
  after: JsonObject | null
}

/** Undefined stands for something that does not exist. */
export function differencesBetween(before: JsonObject | undefined, after: JsonObject | undefined): Differences {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  const changed: { before: JsonObject; after: JsonObject } = { before: {}, after: {} }
  let isSecretChanged = false
  for (const name of names) {
    if (leftOut.has(name) || alsoLeftOut.has(name)) continue
    const [from, to] = [before?.[name] ?? null, after?.[name] ?? null]
    if (canonicalJson(from) === canonicalJson(to)) continue
    if (secretColumns.has(name)) isSecretChanged = true
    else {
      if (before !== undefined) changed.before[name] = show(name, from)
      if (after !== undefined) changed.after[name] = show(name, to)
    }
  }
  if (isSecretChanged && after !== undefined) changed.after['secret'] = { changed: true }
  return { before: orNull(changed.before), after: orNull(changed.after) }
}

const orNull = (object: JsonObject) => (Object.keys(object).length === 0 ? null : object)

/** A prompt may have 100,000 characters: an entry holds the beginning. */
function show(name: string, value: unknown): unknown {
  if (times.test(name) && typeof value === 'number') return new Date(value).toISOString()
  const structured = typeof value === 'string' && /^[[{]/.test(value) ? (parseJson(value) ?? value) : value
  const text = typeof structured === 'string' ? structured.toWellFormed() : JSON.stringify(structured).toWellFormed()
  if (text.length > maxCharacters) return `${text.slice(0, maxCharacters).toWellFormed()}…`
  return typeof structured === 'string' ? text : JSON.parse(text)
}
