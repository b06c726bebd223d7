// Fills our own templates with names and places from the lists, and labels their positions.

import type { NameLists } from '../build-lexicon.ts'
import type { Chance } from '../chance.ts'
import type { LabelledRow, Span } from '../labelled-rows.ts'
import { address, addressLines } from './addresses.ts'
import { landmark } from './landmarks.ts'
import { capitalise, firstName, fullName, oddWord, place, surname } from './names.ts'
import { company, namedOrganisation, namedThing } from './organisations.ts'
import * as stock from './stock.ts'

export interface Filler {
  lists: NameLists
  /** Common English words. */
  words: string[]
  chance: Chance
}

/**
 * Slots: P full name, F first name, L surname, G and K a famous full name and surname, C town, S region, c and s these in
 * lower case, V a river, hill or building, A address, B and
 * b address in lines and in one line, O company, N organisation named after a person or place; others get no label.
 */
export function fill(template: string, filler: Filler, source: string): LabelledRow {
  let text = ''
  const spans: Span[] = []
  const chosen = new Map<string, string>()
  for (const piece of template.split(/(\{[A-Za-z]+\d?\})/)) {
    const slot = /^\{([A-Za-z]+)(\d?)\}$/.exec(piece)
    if (slot === null) {
      text += piece
      continue
    }
    const kind = slot[1]!
    const value = (slot[2] !== '' && chosen.get(piece)) || valueFor(kind, filler)
    chosen.set(piece, value)
    const type = typeOf[kind]
    if (type !== undefined) spans.push({ start: text.length, end: text.length + value.length, type })
    text += value
  }
  return { source, text, spans, ignore: [], types: ['PERSON', 'LOCATION', 'ORG'], partly: [], group: template }
}

const typeOf: Record<string, string> = {
  P: 'PERSON',
  F: 'PERSON',
  L: 'PERSON',
  G: 'PERSON',
  K: 'PERSON',
  C: 'LOCATION',
  c: 'LOCATION',
  s: 'LOCATION',
  V: 'LOCATION',
  S: 'LOCATION',
  A: 'LOCATION',
  B: 'LOCATION',
  b: 'LOCATION',
  O: 'ORG',
  N: 'ORG',
}

function valueFor(kind: string, { lists, words, chance }: Filler): string {
  const draw = (from: readonly string[]): string => chance.pick(from)
  switch (kind) {
    case 'P':
      return fullName(lists, chance)
    case 'F':
      return firstName(lists, chance)
    case 'L':
      return surname(lists, chance)
    case 'G':
      return draw(stock.famousPeople)
    case 'K':
      return draw(stock.famousSurnames)
    case 'C':
      return chance.next() < 0.5 ? draw(stock.towns) : place(lists, chance)
    case 'c':
      return (chance.next() < 0.6 ? draw(stock.towns) : place(lists, chance)).toLowerCase()
    case 's':
      return draw(stock.countries).toLowerCase()
    case 'V':
      return landmark(lists, chance)
    case 'S':
      return chance.next() < 0.7 ? draw(stock.countries) : capitalise(draw(lists.regions))
    case 'A':
      return address(lists, chance)
    case 'B':
      return addressLines(lists, chance).join('\n')
    case 'b':
      return addressLines(lists, chance).join(', ')
    case 'O':
      return company(lists, chance)
    case 'N':
      return namedOrganisation(lists, chance)
    case 'E':
      return namedThing(lists, chance)
    case 'initial':
      return 'ABCDEFGHIJKLMNOPRSTW'.charAt(chance.below(20))
    case 'n':
      return String(1 + chance.below(10 ** (1 + chance.below(4))))
    case 'any':
      return draw(words)
    case 'Any':
      return capitalise(draw(words))
    case 'odd':
      return oddWord(chance)
    case 'mail':
      return `${draw(lists.firstNames).replace(/[^a-z]/g, '')}${draw(['.', '_', '', '1'])}${draw(lists.surnames).replace(/[^a-z]/g, '')}@${draw(stock.mailHosts)}`
    default:
      return draw(stock.lists[kind] ?? [kind])
  }
}
