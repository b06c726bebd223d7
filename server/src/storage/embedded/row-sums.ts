// Adds up the rows that are entered together, so that each sum in a table of the request log is written once for all
// of them.

import type { SumStatement } from '../request-log/file-statements.ts'

export type Row = readonly (string | number | null)[]

interface Sum {
  values: Row
  rows: number
  added: number[]
}

export class RowSums {
  readonly #places: SumStatement
  readonly #sums = new Map<string, Sum>()

  constructor(places: SumStatement) {
    this.#places = places
  }

  add(row: Row): void {
    const { values: places, at, hourMs, only, added } = this.#places
    // A row that an earlier version kept may be shorter.
    if (only !== null && (row[only] ?? null) === null) return
    const values = places.map(place => (place === at ? hourOf(Number(row[at]), hourMs) : (row[place] ?? null)))
    // Only the model that a client asked for may contain this sign, so different values have different keys.
    const key = values.join('\0')
    const sum = this.#sums.get(key) ?? { values, rows: 0, added: added.map(() => 0) }
    this.#sums.set(key, sum)
    sum.rows++
    for (const [index, place] of added.entries()) sum.added[index] = Number(sum.added[index]) + Number(row[place] ?? 0)
  }

  /** The statement that adds a sum, and its parameters, for each sum. */
  *statements(): Generator<[sql: string, parameters: Row]> {
    const { add } = this.#places
    for (const { values, rows, added } of this.#sums.values()) yield [add, [...values, rows, ...added]]
  }
}

function hourOf(at: number, hourMs: number): number {
  return at - (at % hourMs)
}
