// Recognises listed words in a text by a rolling hash, so that all other words cost no string.

export interface WordTable {
  /** The number of the word with this hash and length, or 0. */
  idOf(hash: number, length: number): number
  /** The number of a listed word, to build tables beside this one. */
  getId(word: string): number
  readonly size: number
}

const slots = 8_192

/** Folds a letter of ASCII or Latin-1 to lower case; others stay unchanged. */
export function foldLetter(code: number): number {
  if (code < 0x80) return code | 0x20
  return code >= 0xc0 && code <= 0xde && code !== 0xd7 ? code + 0x20 : code
}

export const emptyHash = 0x811c9dc5 | 0

export function addToHash(hash: number, foldedCode: number): number {
  return Math.imul(hash ^ foldedCode, 0x01000193)
}

export function createWordTable(words: Iterable<string>): WordTable {
  const hashes = new Int32Array(slots)
  const ids = new Uint16Array(slots)
  const lengths = new Uint8Array(slots)
  const listed = new Map<string, number>()
  for (const word of words) {
    if (listed.has(word)) continue
    const id = listed.size + 1
    listed.set(word, id)
    const hash = hashOf(word)
    let slot = slotOf(hash)
    while (ids[slot] !== 0) slot = (slot + 1) & (slots - 1)
    hashes[slot] = hash
    ids[slot] = id
    lengths[slot] = word.length
  }
  if (listed.size > slots / 4) throw new Error(`a table of ${slots} slots is too full with ${listed.size} words`)
  return {
    idOf(hash, length) {
      for (let slot = slotOf(hash); ids[slot] !== 0; slot = (slot + 1) & (slots - 1)) {
        if (hashes[slot] === hash && lengths[slot] === length) return ids[slot] as number
      }
      return 0
    },
    getId(word) {
      const id = listed.get(word)
      if (id === undefined) throw new Error(`${word} is not listed`)
      return id
    },
    size: listed.size,
  }
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 15)) & (slots - 1)
}

function hashOf(word: string): number {
  let hash = emptyHash
  for (let at = 0; at < word.length; at++) hash = addToHash(hash, foldLetter(word.charCodeAt(at)))
  return hash
}
