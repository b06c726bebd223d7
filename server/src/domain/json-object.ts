// Reads JSON of unknown shape: objects, their own members, and lists of one type.

export type JsonObject = Record<string, unknown>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns undefined if the key is absent or inherited, like `constructor`. */
export function ownValue(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** Returns undefined for invalid JSON; no valid JSON parses to it. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the same text for values that differ only in the order of object members. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isJsonObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  )
}

/** Returns all parsed items, or null if one of them is invalid. */
export function parseList<T>(value: unknown, parseItem: (item: unknown) => T | null): T[] | null {
  if (!Array.isArray(value)) return null
  const items: T[] = []
  for (const item of value) {
    const parsed = parseItem(item)
    if (parsed === null) return null
    items.push(parsed)
  }
  return items
}

/** Removes members that are undefined, so that absent fields stay absent. */
export function omitAbsent<T extends object>(object: { [K in keyof T]: T[K] | undefined }): T {
  const kept: JsonObject = {}
  // Object.entries would cost five times as much, and each request calls this ten times.
  for (const name in object) {
    const value = object[name]
    if (value === undefined) continue
    if (name === '__proto__') setMember(kept, name, value)
    else kept[name] = value
  }
  return kept as T
}

/** Changes `object`, since a copy for each of many additions would be quadratic. */
export function addMembers(object: JsonObject, others: JsonObject): JsonObject {
  for (const name of Object.keys(others)) setMember(object, name, others[name])
  return object
}

/** Own members only: assigning `__proto__` would change the object's prototype. */
function setMember(object: JsonObject, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}
