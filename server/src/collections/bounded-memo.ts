// Caches the result of a function for the few texts that occur again and again, in bounded memory. Texts that a
// client makes up only cost a recomputation.
import { digestOf } from './short-lived-map.ts'

interface Found<T> {
  readonly text: string
  readonly value: T
}

/** A power of two. */
const placeCount = 8_192
export const maxKeyLength = 256

/**
 * For texts from outside. Each text has one of two places, and a new one evicts the older of the two. A Map is slower:
 * before a look-up it enters a new text in the runtime's table of all texts ever used as a key.
 */
export function memoize<T>(find: (text: string) => T): (text: string) => T {
  const places = new Array<Found<T> | null>(placeCount).fill(null)
  return text => {
    if (text.length > maxKeyLength) return find(text)
    const place = digestOf(text) & (placeCount - 1)
    const first = places[place]
    if (first?.text === text) return first.value
    const second = places[place ^ 1]
    if (second?.text === text) return second.value
    // A slice of a few letters would keep the whole request head alive.
    const own = Buffer.from(text).toString()
    const value = find(own)
    places[place ^ 1] = first ?? null
    places[place] = { text: own, value }
    return value
  }
}

/**
 * For values that the process holds anyway, such as names in our sources: a Map finds them in a fifth of the time,
 * since the runtime already has their hashes. Clears the whole cache when it is full. An undefined result is not
 * cached.
 */
export function memoizeKnown<K, T>(find: (value: K) => T, maxEntries: number): (value: K) => T {
  const known = new Map<K, T>()
  return value => {
    const cached = known.get(value)
    if (cached !== undefined) return cached
    const found = find(value)
    if (found === undefined) return found
    if (known.size >= maxEntries) known.clear()
    known.set(value, found)
    return found
  }
}
