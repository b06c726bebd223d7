// Sorts all code points into the classes that a set of patterns tells apart, so that an automaton has few transitions.

import { type CharacterSet, isWordCharacter, wordCharacters } from '../../../domain/patterns/character-set.ts'

export interface Alphabet {
  /** The number of classes; also the class that stands for the end of the text. */
  size: number
  classOf(codePoint: number): number
  /** By class: whether it has word characters. */
  isWord: Uint8Array
  /** A character of the class, which stands for all of them; -1, which is none, for the end of the text. */
  characterOf(characterClass: number): number
}

const asciiSize = 128

/** Yields after each set, so that others can run. */
export function* createAlphabet(sets: readonly CharacterSet[]): Generator<void, Alphabet> {
  const borders = new Set([0])
  for (const set of [wordCharacters, ...sets]) {
    for (let at = 0; at < set.length; at += 2) borders.add(set[at] as number).add((set[at + 1] as number) + 1)
    yield
  }
  const starts = Int32Array.from(borders).sort()
  yield
  const ascii = Int32Array.from({ length: asciiSize }, (_, code) => search(starts, code))
  return {
    size: starts.length,
    classOf: code => (code < asciiSize ? (ascii[code] as number) : search(starts, code)),
    isWord: Uint8Array.from(starts, start => (isWordCharacter(start) ? 1 : 0)),
    characterOf: characterClass => starts[characterClass] ?? -1,
  }
}

/** The last class that begins at or before the code point. */
function search(starts: Int32Array, code: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((starts[middle] as number) <= code) low = middle
    else high = middle - 1
  }
  return low
}
