// Adds up the rows that are entered together, so that each sum in the file of a day is written once for all of them.

import type { SumStatement } from '../request-log/file-statements.ts'

export type Row = readonly (string | number | null)[]

interface Sum {
  agreed: Row
  rows: number
  added: number[]
  /** For each list, the number of rows by range. */
  counted: Map<number, number>[]
}

export class RowSums {
  readonly #places: SumStatement
  readonly #sums = new Map<string, Sum>()

  constructor(places: SumStatement) {
    this.#places = places
  }

  add(row: Row): void {
    const { agreed: places, at, hourMs, added, counted } = this.#places
    // A row that an earlier version kept may be shorter.
    const agreed = places.map(place => (place === at ? hourOf(Number(row[at]), hourMs) : (row[place] ?? null)))
    // Only the model that a client asked for may contain this sign, so different values have different keys.
    const key = agreed.join('\0')
    const sum = this.#sums.get(key) ?? {
      agreed,
      rows: 0,
      added: added.map(() => 0),
      counted: counted.map(() => new Map()),
    }
    this.#sums.set(key, sum)
    sum.rows++
    for (const [index, place] of added.entries()) sum.added[index] = Number(sum.added[index]) + Number(row[place] ?? 0)
    for (const [index, counts] of sum.counted.entries()) {
      const range = row[counted[index] ?? -1] ?? null
      if (range !== null) counts.set(Number(range), (counts.get(Number(range)) ?? 0) + 1)
    }
  }

  /** The parameters of the statement for each sum. */
  *parameters(): Generator<Row> {
    for (const { agreed, rows, added, counted } of this.#sums.values()) {
      yield [...agreed, rows, ...added, ...counted.map(textOf)]
    }
  }
}

/** As counted-ranges.ts reads it. */
function textOf(counts: ReadonlyMap<number, number>): string | null {
  return counts.size === 0 ? null : Array.from(counts, ([range, count]) => count * 1_000 + range).join(',')
}

function hourOf(at: number, hourMs: number): number {
  return at - (at % hourMs)
}
