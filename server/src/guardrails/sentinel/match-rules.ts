// Matches the words of a text against the rules. Each word looks at most as far as the widest rule, so the work is
// linear in the text.

import type { KnownWords } from './read-words.ts'
import { type ClassMask, maskOf } from './word-classes.ts'

interface Term extends ClassMask {
  isForbidden: boolean
  /** A distance in places, as `read-words.ts` counts them. */
  before: number
  after: number
}

export interface Rule<Name extends string> {
  name: Name
  anchor: ClassMask
  terms: Term[]
  /** How many of the rule's words, including the anchor, may be vague ones. */
  maxVague: number
}

const placesPerWord = 2
/** How many words must be firm, for a rule of more than two words that does not set it. */
const minFirm = 2

/** `~0` before the anchor sets how many words may be vague. */
export function readRule<Name extends string>(name: Name, source: string): Rule<Name> {
  const [, limit, rule] = /^(?:~(\d) )?(.+)$/.exec(source)!
  const [anchor, ...sources] = rule!.split(' ')
  const terms = sources.map(readTerm)
  const words = 1 + terms.filter(({ isForbidden }) => !isForbidden).length
  const maxVague = limit === undefined ? Math.max(words - minFirm, words > 1 ? 1 : 0) : Number(limit)
  return { name, anchor: maskOf(anchor!.split('|')), terms, maxVague }
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

/** Marks the anchors of each rule with `derived`, in order, so that later rules may use earlier ones. */
export function derive(words: KnownWords, rules: readonly Rule<string>[], derived: readonly ClassMask[]): void {
  rules.forEach((rule, number) => {
    if (!mayMatch(rule, words)) return
    const { low, high } = derived[number]!
    for (let index = 0; index < words.count; index++) {
      if (!matchesAt(rule, words, index)) continue
      const vague = countVague(rule, words, index)
      if (vague > rule.maxVague) continue
      if (vague === 0) {
        words.firmLow[index]! |= low
        words.firmHigh[index]! |= high
      }
      words.low[index]! |= low
      words.high[index]! |= high
      words.allLow |= low
      words.allHigh |= high
    }
  })
}

/**
 * Calls `visit` with each word at which the rule holds, and how many of the rule's words are vague there, until it
 * returns true.
 */
export function eachMatch(
  words: KnownWords,
  rule: Rule<string>,
  visit: (index: number, vague: number) => boolean,
): void {
  if (!mayMatch(rule, words)) return
  for (let index = 0; index < words.count; index++) {
    if (matchesAt(rule, words, index) && visit(index, countVague(rule, words, index))) return
  }
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
  for (const term of rule.terms)
    if (hasNear(term, words, index, words.low, words.high) === term.isForbidden) return false
  return true
}

/** How many words of a rule that holds at `index` are only vague. */
function countVague({ anchor, terms }: Rule<string>, words: KnownWords, index: number): number {
  const { firmLow, firmHigh } = words
  let vague = ((firmLow[index]! & anchor.low) | (firmHigh[index]! & anchor.high)) === 0 ? 1 : 0
  for (const term of terms) if (!term.isForbidden && !hasNear(term, words, index, firmLow, firmHigh)) vague++
  return vague
}

function hasNear(term: Term, { count, places }: KnownWords, index: number, low: number[], high: number[]): boolean {
  const place = places[index]!
  for (let other = index - 1; other >= 0 && place - places[other]! <= term.before; other--) {
    if (((low[other]! & term.low) | (high[other]! & term.high)) !== 0) return true
  }
  for (let other = index + 1; other < count && places[other]! - place <= term.after; other++) {
    if (((low[other]! & term.low) | (high[other]! & term.high)) !== 0) return true
  }
  return false
}
