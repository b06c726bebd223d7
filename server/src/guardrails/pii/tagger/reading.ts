// Reads the features of a text before weights are looked up: tokens, lexicon bits, surroundings. The columns are reused
// for the next text; a text's content must not outlive the next read, or `forget`.

import { readAddresses } from './address.ts'
import { markCells } from './cells.ts'
import { type Lexicon, readKnown } from './lexicon.ts'
import { createRepeats, type Repeats, readRepeats } from './repeats.ts'
import { markToWeigh } from './stop-words.ts'
import { createSurroundings, readSurroundings, type TokenSurroundings } from './surroundings.ts'
import { createTokens, readTokens, type TaggerTokens } from './tokens.ts'

export interface TaggerReading {
  capacity: number
  tokens: TaggerTokens
  /** The lexicon's bits of the word, as in `known`. */
  bits: Uint16Array
  /** As in `phrase`. */
  inPhrase: Uint8Array
  around: TokenSurroundings
  /** As in `addressPart`. */
  address: Uint8Array
  /** 1 for the first token of a table's cell. */
  cells: Uint8Array
  /** How the same word is written elsewhere in the text. */
  repeats: Uint8Array
  seen: Repeats
  /** 1 if the token must be weighed. */
  toWeigh: Uint8Array
}

export function createReading(capacity: number): TaggerReading {
  return {
    capacity,
    tokens: createTokens(capacity),
    bits: new Uint16Array(capacity),
    inPhrase: new Uint8Array(capacity),
    around: createSurroundings(capacity),
    address: new Uint8Array(capacity),
    cells: new Uint8Array(capacity),
    repeats: new Uint8Array(capacity),
    seen: createRepeats(capacity),
    toWeigh: new Uint8Array(capacity),
  }
}

/** `reading` needs space for one token for each unit of the text. */
export function readText(text: string, lexicon: Lexicon, reading: TaggerReading): void {
  readTokens(text, reading.tokens)
  readKnown(lexicon, reading.tokens, reading.bits, reading.inPhrase)
  readSurroundings(text, reading.tokens, reading.around)
  readAddresses(text, reading)
  markCells(text, reading)
  readRepeats(reading.tokens, reading.seen, reading.repeats)
  markToWeigh(reading.tokens, reading.bits, reading.address, reading.toWeigh)
}
