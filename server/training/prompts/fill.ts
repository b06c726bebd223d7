// Fills our own templates with names and places from the lists, and labels their positions.

import type { NameLists } from '../build-lexicon.ts'
import type { Chance } from '../chance.ts'
import type { LabelledRow, Span } from '../labelled-rows.ts'
import * as stock from './stock.ts'

export interface Filler {
  lists: NameLists
  chance: Chance
}

/** Slots: P full name, F first name, L surname, C town, S region, A address, O company; other slots get no label. */
export function fill(template: string, { lists, chance }: Filler, source: string): LabelledRow {
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
    const value = (slot[2] !== '' && chosen.get(piece)) || valueFor(kind, lists, chance)
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
  C: 'LOCATION',
  S: 'LOCATION',
  A: 'LOCATION',
  O: 'ORG',
}

function valueFor(kind: string, lists: NameLists, chance: Chance): string {
  const draw = (from: readonly string[]): string => chance.pick(from)
  switch (kind) {
    case 'P':
      return fullName(lists, chance)
    case 'F':
      return firstName(lists, chance)
    case 'L':
      return surname(lists, chance)
    case 'C':
      return chance.next() < 0.5 ? draw(stock.towns) : place(lists, chance)
    case 'S':
      return chance.next() < 0.7 ? draw(stock.countries) : capitalise(draw(lists.regions))
    case 'A':
      return address(lists, chance)
    case 'O':
      return company(lists, chance)
    case 'n':
      return String(1 + chance.below(10 ** (1 + chance.below(4))))
    case 'odd':
      return oddWord(chance)
    case 'mail':
      return `${draw(lists.firstNames).replace(/[^a-z]/g, '')}${draw(['.', '_', '', '1'])}${draw(lists.surnames).replace(/[^a-z]/g, '')}@${draw(stock.mailHosts)}`
    default:
      return draw(stock.lists[kind] ?? [kind])
  }
}

const openings = 'b br c ch d dr f fl g gr h j k kl l m n p pr r s sk st t tr v vi w z'.split(' ')
const middles = 'a e i o u ai ea io ou oo aa ø y'.split(' ')
const endings = 'n r l s t k x m nd rt st lo ra na gen tek dex ify ium ix ora nt ling lag nr navn ter'.split(' ')

/** An invented word that is in no list: like a rare surname, a foreign word or a product. */
function oddWord(chance: Chance): string {
  let word = ''
  for (let syllables = 1 + chance.below(2); syllables >= 0; syllables--)
    word += chance.pick(openings) + chance.pick(middles)
  word += chance.pick(endings)
  return chance.next() < 0.85 ? capitalise(word) : word
}

function capitalise(name: string): string {
  return name.replace(/(^|[\s'’-])(\p{Ll})/gu, (_, before: string, letter: string) => before + letter.toUpperCase())
}

function firstName(lists: NameLists, chance: Chance): string {
  return capitalise(chance.next() < 0.4 ? chance.pick(stock.firstNames) : chance.pick(lists.firstNames))
}

function surname(lists: NameLists, chance: Chance): string {
  if (chance.next() < 0.08) return capitalise(oddWord(chance))
  const name = chance.next() < 0.3 ? chance.pick(stock.surnames) : chance.pick(lists.surnames)
  return name.startsWith('mc') && chance.next() < 0.7 ? `Mc${capitalise(name.slice(2))}` : capitalise(name)
}

function fullName(lists: NameLists, chance: Chance): string {
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

function place(lists: NameLists, chance: Chance): string {
  return capitalise(chance.pick(lists.places))
}

function company(lists: NameLists, chance: Chance): string {
  const roll = chance.next()
  if (roll < 0.4) return `${surname(lists, chance)} ${chance.pick(stock.companyEnds)}`
  if (roll < 0.6) return `${surname(lists, chance)} & ${surname(lists, chance)}`
  return chance.pick(stock.companies)
}

function address(lists: NameLists, chance: Chance): string {
  const draw = chance.pick
  const town = chance.next() < 0.5 ? draw(stock.towns) : place(lists, chance)
  const number = 1 + chance.below(10 ** (1 + chance.below(4)))
  const streetName = draw([
    () => surname(lists, chance),
    () => firstName(lists, chance),
    () => draw(stock.streetNames),
  ])()
  const unit = chance.next() < 0.3 ? `${draw([', ', ' '])}${draw(stock.units)} ${1 + chance.below(400)}` : ''
  const zip = String(10_000 + chance.below(89_999))
  const roll = chance.next()
  if (roll < 0.45) {
    const street = `${number} ${chance.next() < 0.15 ? `${draw(['N', 'S', 'East', 'West', 'North'])} ` : ''}${streetName} ${draw(stock.streetEnds)}${unit}`
    const tail = draw([
      '',
      `, ${town}`,
      `, ${town}, ${draw(stock.states)} ${zip}`,
      `, ${town} ${draw(stock.states)} ${zip}`,
      ` ${town}`,
    ])
    return street + tail
  }
  if (roll < 0.6)
    return `${number} ${streetName} ${draw(['Road', 'Street', 'Lane', 'Close', 'Avenue', 'Gardens', 'Mews'])}, ${town}${draw(['', ` ${ukCode(chance)}`])}`
  if (roll < 0.75)
    return `${streetName}${draw(['straße', 'strasse', 'weg', 'gasse', 'platz', 'straat', 'laan', 'gatan', 'vej', 'katu'])} ${1 + chance.below(200)}${draw(['', `, ${zip} ${town}`, `, ${town}`])}`
  if (roll < 0.87)
    return `${draw(['Calle', 'Rua', 'Via', 'Rue', 'Avenida', 'Avenue', 'ul.', 'Piazza', 'Rue de', 'Calle de', 'Via della'])} ${streetName}${draw([' ', ', '])}${1 + chance.below(200)}${draw(['', `, ${zip} ${town}`, `, ${town}`])}`
  if (roll < 0.93)
    return `P${draw(['', '.'])}O${draw(['', '.'])} Box ${1 + chance.below(9000)}${draw(['', `, ${town}`, `, ${town}, ${draw(stock.states)} ${zip}`])}`
  return `${number} ${draw(['Rue', 'Avenue', 'Boulevard', 'Rue de la', 'Chemin de'])} ${streetName}, ${zip} ${town}`
}

function ukCode(chance: Chance): string {
  const letter = (): string => 'ABCDEFGHJKLMNPRSTUWYZ'[chance.below(21)]!
  return `${letter()}${letter()}${1 + chance.below(20)} ${chance.below(10)}${letter()}${letter()}`
}
