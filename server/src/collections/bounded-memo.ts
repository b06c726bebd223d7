// Keeps what was found out about a text, for the few texts that come again and again, and forgets what does not: made-up
// texts cost neither memory nor others more than another look. Knows nothing of the texts but whose they are.
import { digestOf } from './short-lived-map.ts'

interface Found<T> {
  readonly text: string
  readonly value: T
}

/** A power of two. */
const placeCount = 8_192
export const maxKeyLength = 256

/**
 * For texts that come from outside. Each has one of two places, and who comes new pushes out who was there longer. Not a
 * Map, which first enters a new text in the runtime's table of all texts ever used as a key, for many times the look-up.
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
    // Else a few letters would keep the whole head alive that they were cut from.
    const own = Buffer.from(text).toString()
    const value = find(own)
    places[place ^ 1] = first ?? null
    places[place] = { text: own, value }
    return value
  }
}

/**
 * For values that the process holds anyway, such as names in our sources: found in a Map for a fifth of the time, since the
 * runtime knows their digests. Forgets all at once when there are too many. What is undefined is not kept.
 */
export function memoizeKnown<K, T>(find: (value: K) => T, most: number): (value: K) => T {
  const known = new Map<K, T>()
  return value => {
    const remembered = known.get(value)
    if (remembered !== undefined) return remembered
    const found = find(value)
    if (found === undefined) return found
    if (known.size >= most) known.clear()
    known.set(value, found)
    return found
  }
}
