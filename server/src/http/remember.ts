// Keeps what was found out about a text, for the few texts that come again and again. Each has one of two places, and who
// comes new pushes out who was there longer: made-up texts cost neither memory nor others more than another look. Not a
// Map, which first enters a new text in the runtime's table of all texts ever used as a key, for many times the look-up.
import { digestOf } from '../domain/text-table.ts'

interface Found<T> {
  readonly text: string
  readonly value: T
}

/** A power of two. */
const placeCount = 8_192
const longestText = 256

export function remember<T>(find: (text: string) => T): (text: string) => T {
  const places = new Array<Found<T> | null>(placeCount).fill(null)
  return text => {
    if (text.length > longestText) return find(text)
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
