// Puts the texts of objects in place of the objects that were parsed from them, at certain places of a JSON value.

import { isJsonObject, type JsonObject } from '../json-object.ts'
import { type JsonPath, type JsonPlace, visitPlaces } from './json-places.ts'
import { JsonText } from './json-text.ts'

export interface TextCarrier {
  /** Changes `value`, which was parsed from `text`, at the places that hold an `object`. Returns it. */
  carry<Value>(text: string, value: Value): Value
  /** The same for a body in UTF-8. */
  carryBody<Value>(body: Uint8Array, value: Value): Value
}

export function createTextCarrier(place: JsonPlace): TextCarrier {
  // Without the first quote: a search stops at each quote of a text that is full of them.
  const marks = [...namesOfObjects(place)].map(name => `${name}"`)
  const replace = (text: string, value: unknown) =>
    visitPlaces(text, place, (kind, start, end, path) => {
      if (kind === 'object') put(value, path, text.slice(start, end))
    })
  return {
    carry(text, value) {
      // A search is much faster than reading, and most texts have no such place.
      if (marks.some(mark => text.includes(mark))) replace(text, value)
      return value
    },
    carryBody(body, value) {
      const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
      if (marks.some(mark => bytes.includes(mark))) replace(bytes.toString('utf8'), value)
      return value
    },
  }
}

/** If a member is repeated, the parsed value is the last one; so is the text, as texts come in their order. */
function put(value: unknown, path: JsonPath, text: string): void {
  let holder: unknown = value
  for (const step of path.slice(0, -1)) holder = memberOf(holder, step)
  const name = path.at(-1)
  if (isJsonObject(holder) && typeof name === 'string' && isJsonObject(memberOf(holder, name)))
    holder[name] = new JsonText(text)
}

function memberOf(holder: unknown, step: string | number): unknown {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, step)) return undefined
  return (holder as JsonObject)[step]
}

function namesOfObjects(root: JsonPlace): Set<string> {
  const names = new Set<string>()
  const seen = new Set<JsonPlace>()
  const visit = (place: JsonPlace): void => {
    if (seen.has(place)) return
    seen.add(place)
    if (place.items !== undefined) visit(place.items)
    for (const [name, inner] of Object.entries(place.members ?? {})) {
      if (inner.holds === 'object') names.add(name)
      visit(inner)
    }
  }
  visit(root)
  return names
}
