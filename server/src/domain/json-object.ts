// Reads JSON whose shape nobody has vouched for: what is an object, what it owns itself, lists of one kind of thing.

export type JsonObject = Record<string, unknown>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Undefined where the key is absent, also for keys that every object inherits. */
export function ownValue(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** Undefined, which no JSON text means, where the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The same text for values that differ in the order of their objects' members alone. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isJsonObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  )
}

/** Every item parsed, or null where one is not what it should be. */
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

/** Without the members that are undefined, so that absent stays absent. */
export function omitAbsent<T extends object>(object: { [K in keyof T]: T[K] | undefined }): T {
  const kept: JsonObject = {}
  // By lists of entries it would cost five times as much, and a request does it ten times.
  for (const name in object) {
    const value = object[name]
    if (value === undefined) continue
    if (name !== '__proto__') kept[name] = value
    else Object.defineProperty(kept, name, { value, enumerable: true, configurable: true, writable: true })
  }
  return kept as T
}
