// The values that a label may have. Bounded by construction: an unknown value, or one beyond the capacity, is counted
// under `other`, so no client can create a series.

export interface Label {
  readonly name: string
  /** The number of values, `other` included. */
  readonly capacity: number
  /** In the order of their indexes. */
  readonly values: readonly string[]
  /** The indexes of the values that were met so far. */
  readonly places: ReadonlyMap<string, number>
  /** For a value without a place: its new place, or that of `other`. */
  meet(value: string): number
}

const other = 'other'

/** For words that are all known in advance. */
export function fixedLabel(name: string, words: readonly string[]): Label {
  const values = [...words.filter(word => word !== other), other]
  const places = new Map(values.map((value, place) => [value, place]))
  return {
    name,
    capacity: values.length,
    values,
    places,
    meet: () => values.length - 1,
  }
}

/** For words that the product defines elsewhere, such as the names of jobs. */
export function openLabel(name: string, maxValues: number): Label {
  const values = [other]
  const places = new Map([[other, 0]])
  return {
    name,
    capacity: maxValues + 1,
    values,
    places,
    meet(value) {
      if (values.length > maxValues) return 0
      places.set(value, values.length)
      return values.push(value) - 1
    },
  }
}
