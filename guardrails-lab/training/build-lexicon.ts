// Builds the table of known words and phrases from the name lists and our own word lists. Uses the tagger's tokenizer,
// so that keys match.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLexicon, known, type Lexicon, phraseKey } from '../../server/src/guardrails/pii/tagger/lexicon.ts'
import { createTokens, readTokens } from '../../server/src/guardrails/pii/tagger/tokens.ts'
import * as own from './lexicon-words.ts'

export interface NameLists {
  firstNames: string[]
  surnames: string[]
  places: string[]
  regions: string[]
}

export function readNameLists(folder: string): NameLists {
  const lists: { fn: string[]; ln: string[]; city: string[]; ctry: string[] } = JSON.parse(
    readFileSync(join(folder, 'pii-train/gazetteers.json'), 'utf8'),
  )
  return { firstNames: lists.fn, surnames: lists.ln, places: lists.city, regions: lists.ctry }
}

/** Words that are written in lower case: the most common ones, and further ones. */
export interface EnglishWords {
  common: string[]
  further: string[]
}

export function readEnglishWords(): EnglishWords {
  const read = (file: string): string[] =>
    readFileSync(new URL(`./word-lists/${file}.txt`, import.meta.url), 'utf8')
      .trim()
      .split('\n')
  return { common: read('common'), further: read('further') }
}

export interface LexiconColumns {
  keys: Int32Array
  bits: Uint16Array
}

export function buildLexicon(lists: NameLists, english: EnglishWords): LexiconColumns {
  const bitsOf = new Map<number, number>()
  const add = (entries: string[], bit: number): void => {
    for (const entry of entries) addEntry(bitsOf, entry, bit)
  }
  add(lists.firstNames, known.firstName)
  add(lists.surnames, known.surname)
  add(lists.places, known.place)
  add(lists.regions, known.region)
  add(english.common, known.common | known.word)
  add(english.further, known.word)
  add(own.titleWords, known.title)
  add(own.kinWords, known.kin)
  add(own.nameCueWords, known.nameCue)
  add(own.streetWords, known.street)
  add(own.unitWords, known.unit)
  add(own.calendarWords, known.calendar)
  add(own.organisationWords, known.organisation)
  add(own.stateWords, known.state)
  add(own.productWords, known.product)
  add(own.nationWords, known.product)
  add(own.famousPlaces, known.region | known.place)
  const keys = Int32Array.from(bitsOf.keys()).sort()
  return { keys, bits: Uint16Array.from(keys, key => bitsOf.get(key)!) }
}

export function asLexicon({ keys, bits }: LexiconColumns): Lexicon {
  return createLexicon(keys, bits)
}

const tokens = createTokens(256)

function addEntry(bitsOf: Map<number, number>, entry: string, bit: number): void {
  readTokens(entry.slice(0, 256), tokens)
  if (tokens.count === 0 || tokens.count > 5) return
  const first = tokens.hash[0]!
  const isPhrase = tokens.count > 1
  const key = isPhrase ? phraseKey(tokens.hash.subarray(0, tokens.count)) : first
  bitsOf.set(key, (bitsOf.get(key) ?? 0) | bit)
  if (isPhrase) bitsOf.set(first, (bitsOf.get(first) ?? 0) | known.opensPhrase)
}
