// Holds the words that a text has against the rules. Each word looks no farther than the widest rule, so the work grows
// with the text and not with its square. Knows no language and no family's meaning.

import type { KnownWords } from './read-words.ts'
import { type ClassMask, maskOf } from './word-classes.ts'

interface Term extends ClassMask {
  isForbidden: boolean
  /** In places, as the reader counts them. */
  before: number
  after: number
}

export interface Rule<Name extends string> {
  name: Name
  anchor: ClassMask
  terms: Term[]
}

const placesPerWord = 2

export function readRule<Name extends string>(name: Name, source: string): Rule<Name> {
  const [anchor, ...terms] = source.split(' ')
  return { name, anchor: maskOf(anchor!.split('|')), terms: terms.map(readTerm) }
}

function readTerm(source: string): Term {
  const parts = /^(!?)([a-z|]+)([<>@])(\d+)$/.exec(source)
  if (!parts) throw new Error(`no term of a rule: ${source}`)
  const [, sign, classes, side, words] = parts
  const reach = Number(words) * placesPerWord
  return {
    ...maskOf(classes!.split('|')),
    isForbidden: sign === '!',
    before: side === '>' ? -1 : reach,
    after: side === '<' ? -1 : reach,
  }
}

/** Marks with `derived` the anchors of each rule, in order, so that later ones may build on earlier ones. */
export function derive(words: KnownWords, rules: readonly Rule<string>[], derived: readonly ClassMask[]): void {
  rules.forEach((rule, number) => {
    if (!mayMatch(rule, words)) return
    const { low, high } = derived[number]!
    for (let index = 0; index < words.count; index++) {
      if (!matchesAt(rule, words, index)) continue
      words.low[index]! |= low
      words.high[index]! |= high
      words.allLow |= low
      words.allHigh |= high
    }
  })
}

/** The index of the word that some rule of that name holds at, or -1. */
export function findMatch(words: KnownWords, rule: Rule<string>): number {
  if (!mayMatch(rule, words)) return -1
  for (let index = 0; index < words.count; index++) if (matchesAt(rule, words, index)) return index
  return -1
}

function mayMatch(rule: Rule<string>, words: KnownWords): boolean {
  if (!isAnywhere(rule.anchor, words)) return false
  for (const term of rule.terms) if (!term.isForbidden && !isAnywhere(term, words)) return false
  return true
}

function isAnywhere({ low, high }: ClassMask, words: KnownWords): boolean {
  return ((low & words.allLow) | (high & words.allHigh)) !== 0
}

function matchesAt(rule: Rule<string>, words: KnownWords, index: number): boolean {
  const { anchor } = rule
  if (((words.low[index]! & anchor.low) | (words.high[index]! & anchor.high)) === 0) return false
  for (const term of rule.terms) if (hasNear(term, words, index) === term.isForbidden) return false
  return true
}

function hasNear(term: Term, words: KnownWords, index: number): boolean {
  const place = words.places[index]!
  const { low, high } = words
  for (let other = index - 1; other >= 0 && place - words.places[other]! <= term.before; other--) {
    if (((low[other]! & term.low) | (high[other]! & term.high)) !== 0) return true
  }
  for (let other = index + 1; other < words.count && words.places[other]! - place <= term.after; other++) {
    if (((low[other]! & term.low) | (high[other]! & term.high)) !== 0) return true
  }
  return false
}
