// Names of people and towns for templates: from the lists, of common names, and invented ones.

import type { NameLists } from '../build-lexicon.ts'
import type { Chance } from '../chance.ts'
import * as stock from './stock.ts'

const openings = 'b br c ch d dr f fl g gr h j k kl l m n p pr r s sk st t tr v vi w z'.split(' ')
const middles = 'a e i o u ai ea io ou oo aa ø y'.split(' ')
const endings = 'n r l s t k x m nd rt st lo ra na gen tek dex ify ium ix ora nt ling lag nr navn ter'.split(' ')

/** An invented word that is in no list: like a rare surname, a foreign word or a product. */
export function oddWord(chance: Chance): string {
  let word = ''
  for (let syllables = 1 + chance.below(2); syllables >= 0; syllables--)
    word += chance.pick(openings) + chance.pick(middles)
  word += chance.pick(endings)
  return chance.next() < 0.85 ? capitalise(word) : word
}

export function capitalise(name: string): string {
  return name.replace(/(^|[\s'’-])(\p{Ll})/gu, (_, before: string, letter: string) => before + letter.toUpperCase())
}

export function firstName(lists: NameLists, chance: Chance): string {
  return capitalise(chance.next() < 0.4 ? chance.pick(stock.firstNames) : chance.pick(lists.firstNames))
}

export function surname(lists: NameLists, chance: Chance): string {
  if (chance.next() < 0.08) return capitalise(oddWord(chance))
  const name = chance.next() < 0.3 ? chance.pick(stock.surnames) : chance.pick(lists.surnames)
  return name.startsWith('mc') && chance.next() < 0.7 ? `Mc${capitalise(name.slice(2))}` : capitalise(name)
}

export function fullName(lists: NameLists, chance: Chance): string {
  const roll = chance.next()
  const [first, last] = [firstName(lists, chance), surname(lists, chance)]
  if (roll < 0.72) return `${first} ${last}`
  if (roll < 0.8) return `${first} ${String.fromCharCode(65 + chance.below(26))}. ${last}`
  if (roll < 0.86) return `${first} ${firstName(lists, chance)} ${last}`
  if (roll < 0.9)
    return `${first} ${chance.pick(['van', 'de', 'von', 'da', 'van der', 'bin', 'al', 'di', 'del'])} ${last}`
  if (roll < 0.94) return `${first} ${last}-${surname(lists, chance)}`
  if (roll < 0.97) return `${String.fromCharCode(65 + chance.below(26))}. ${last}`
  return `${last}, ${first}`
}

export function place(lists: NameLists, chance: Chance): string {
  return capitalise(chance.pick(lists.places))
}
