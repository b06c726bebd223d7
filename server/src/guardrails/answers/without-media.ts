// Removes from a value of an answer what no scanner can read: images, audio and files, as data: URLs or in base64.

import { JsonText } from '../../domain/json/json-text.ts'
import { isJsonObject, type JsonObject } from '../../domain/json-object.ts'

/** No text has so many of these characters without a space. */
const blob = /^(?:data:|[A-Za-z0-9+/_-]{512})/i
/** What providers encrypt for themselves: nobody else reads it, and a changed one is refused. */
const sealed = /^encrypted_|^signature$/

/** Returns the same value if it has none of them; otherwise they are empty texts. */
export function withoutMedia(value: JsonObject): JsonObject {
  return clean(value) as JsonObject
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return blob.test(value) ? '' : value
  if (Array.isArray(value)) return unlessSame(value, value.map(clean))
  if (!isJsonObject(value) || value instanceof JsonText) return value
  const members = Object.entries(value).map(([name, member]) => [name, sealed.test(name) ? member : clean(member)])
  return members.every(([name, member]) => value[name as string] === member) ? value : Object.fromEntries(members)
}

function unlessSame(list: readonly unknown[], cleaned: readonly unknown[]): readonly unknown[] {
  return cleaned.every((item, at) => item === list[at]) ? list : cleaned
}
