// The other case of each letter of a set, by a table of ranges that is made once: a set may be as wide as Unicode.

import { type CharacterSet, unite } from './character-set.ts'

/** Letters of these blocks have two cases: Latin, Greek, Cyrillic, Armenian, and Latin's further letters. */
const cased: CharacterSet = [0x41, 0x5a, 0x61, 0x7a, 0xb5, 0x58f, 0x1e00, 0x1fff]

/** Letters whose other case is as far away for each of them: all from `from` to `to`, or every second one. */
interface Run {
  from: number
  to: number
  step: number
  distance: number
}

/** The same by columns, which are faster to read; ordered by `from`. */
interface Runs {
  from: Int32Array
  to: Int32Array
  step: Int32Array
  distance: Int32Array
  /** The last letter of this run and of all before it. */
  lastOfAll: Int32Array
}

let known: Runs | null = null

/** The set with the other case of each of its letters. */
export function foldCase(set: CharacterSet): CharacterSet {
  known ??= columnsOf(readRuns())
  const others: number[] = []
  for (let at = 0; at < set.length; at += 2) addOthers(known, set[at] as number, set[at + 1] as number, others)
  return others.length === 0 ? set : unite([set, others])
}

function addOthers(runs: Runs, from: number, to: number, others: number[]): void {
  const count = runs.from.length
  for (let index = firstFrom(runs, from); index < count; index++) {
    const first = runs.from[index] as number
    if (first > to) return
    const odd = (runs.step[index] as number) - 1
    const distance = runs.distance[index] as number
    const least = Math.max(first, from + ((from - first) & odd)) + distance
    const most = Math.min(runs.to[index] as number, to - ((to - first) & odd)) + distance
    if (least > most || (least >= from && most <= to)) continue
    // Where the cases of letters alternate, those between are in the set.
    others.push(least, most)
  }
}

/** The first run that the range may touch: all before it end before the range begins. */
function firstFrom({ lastOfAll }: Runs, from: number): number {
  let low = 0
  let high = lastOfAll.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((lastOfAll[middle] as number) < from) low = middle + 1
    else high = middle
  }
  return low
}

function readRuns(): Run[] {
  const open = new Map<number, Run>()
  const runs: Run[] = []
  for (let block = 0; block < cased.length; block += 2) {
    for (let code = cased[block] as number; code <= (cased[block + 1] as number); code++) {
      for (const distance of distancesOf(code)) {
        const run = open.get(distance)
        if (run !== undefined && continues(run, code)) {
          run.step = code - run.to
          run.to = code
        } else {
          const begun = { from: code, to: code, step: 1, distance }
          open.set(distance, begun)
          runs.push(begun)
        }
      }
    }
  }
  return runs
}

function continues({ from, to, step, distance }: Run, code: number): boolean {
  const gap = code - to
  return (gap === 1 || (gap === 2 && Math.abs(distance) === 1)) && (from === to || step === gap)
}

function columnsOf(runs: readonly Run[]): Runs {
  const columnOf = (field: keyof Run) => Int32Array.from(runs, run => run[field])
  const lastOfAll = columnOf('to')
  for (let index = 1; index < lastOfAll.length; index++) {
    lastOfAll[index] = Math.max(lastOfAll[index] as number, lastOfAll[index - 1] as number)
  }
  const columns = { from: columnOf('from'), to: columnOf('to'), step: columnOf('step') }
  return { ...columns, distance: columnOf('distance'), lastOfAll }
}

function distancesOf(code: number): Set<number> {
  const letter = String.fromCharCode(code)
  const others = [letter.toLowerCase(), letter.toUpperCase()].filter(other => other.length === 1 && other !== letter)
  return new Set(others.map(other => other.charCodeAt(0) - code))
}
