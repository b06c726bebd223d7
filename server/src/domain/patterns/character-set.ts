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
  for (let at = 0; at < set.length; at += 2) {
    if (code < (set[at] as number)) return false
    if (code <= (set[at + 1] as number)) return true
  }
  return false
}

export function unite(sets: readonly CharacterSet[]): CharacterSet {
  const ranges: [from: number, to: number][] = []
  for (const set of sets) {
    for (let at = 0; at < set.length; at += 2) ranges.push([set[at] as number, set[at + 1] as number])
  }
  ranges.sort(([one], [other]) => one - other)
  const united: number[] = []
  for (const [from, to] of ranges) {
    const last = united.at(-1)
    if (last !== undefined && from <= last + 1) united[united.length - 1] = Math.max(last, to)
    else united.push(from, to)
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

/** Letters of these blocks have two cases: Latin, Greek, Cyrillic, Armenian, and Latin's further letters. */
const cased: CharacterSet = [0x41, 0x5a, 0x61, 0x7a, 0xb5, 0x58f, 0x1e00, 0x1fff]

/** The set with the other case of each of its letters. */
export function foldCase(set: CharacterSet): CharacterSet {
  const others: CharacterSet[] = [set]
  for (let at = 0; at < set.length; at += 2) {
    for (let block = 0; block < cased.length; block += 2) {
      const from = Math.max(set[at] as number, cased[block] as number)
      const to = Math.min(set[at + 1] as number, cased[block + 1] as number)
      for (let code = from; code <= to; code++) others.push(...otherCases(code))
    }
  }
  return unite(others)
}

function otherCases(code: number): CharacterSet[] {
  const letter = String.fromCharCode(code)
  return [letter.toLowerCase(), letter.toUpperCase()]
    .filter(other => other.length === 1 && other !== letter)
    .map(other => [other.charCodeAt(0), other.charCodeAt(0)])
}
