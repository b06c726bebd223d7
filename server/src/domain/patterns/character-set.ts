// Sets of code points as sorted, disjoint ranges: [from, to, from, to, …], both inclusive.

export type CharacterSet = readonly number[]

const lastCodePoint = 0x10ffff

export const digitCharacters: CharacterSet = [0x30, 0x39]
export const wordCharacters: CharacterSet = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a]
export const spaceCharacters: CharacterSet = [0x09, 0x0a, 0x0c, 0x0d, 0x20, 0x20]
export const anyButLineEnd: CharacterSet = [0, 0x09, 0x0b, lastCodePoint]

export function isWordCharacter(code: number): boolean {
  return hasCharacter(wordCharacters, code)
}

export function hasCharacter(set: CharacterSet, code: number): boolean {
  let low = 0
  let high = set.length >>> 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (code > (set[2 * middle + 1] as number)) low = middle + 1
    else high = middle
  }
  return 2 * low < set.length && code >= (set[2 * low] as number)
}

/** Both ends of a range in one number, in the order of its beginning. */
const shift = 0x200000

export function unite(sets: readonly CharacterSet[]): CharacterSet {
  const [only] = sets
  if (only !== undefined && sets.length === 1) return only
  const ranges = new Float64Array(sets.reduce((count, set) => count + set.length / 2, 0))
  let count = 0
  for (const set of sets) {
    for (let at = 0; at < set.length; at += 2) {
      ranges[count++] = (set[at] as number) * shift + (set[at + 1] as number)
    }
  }
  ranges.sort()
  const united: number[] = []
  let end = Number.NEGATIVE_INFINITY
  for (const range of ranges) {
    const from = Math.floor(range / shift)
    const to = range - from * shift
    if (from > end + 1) united.push(from, to)
    else if (to > end) united[united.length - 1] = to
    end = Math.max(end, to)
  }
  return united
}

export function complement(set: CharacterSet): CharacterSet {
  const others: number[] = []
  let from = 0
  for (let at = 0; at < set.length; at += 2) {
    if (from < (set[at] as number)) others.push(from, (set[at] as number) - 1)
    from = (set[at + 1] as number) + 1
  }
  if (from <= lastCodePoint) others.push(from, lastCodePoint)
  return others
}
