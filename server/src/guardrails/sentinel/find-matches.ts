// Lists the places of a view where a rule of the grammar holds, with how firm its words are there.

import { eachMatch, readRule } from './match-rules.ts'
import type { PatternFamily } from './pattern-families.ts'
import type { KnownWords } from './read-words.ts'
import { familyRules } from './rules.ts'

const rules = familyRules.map(([family, rule]) => readRule(family, rule))

export interface RuleMatch {
  /** The index of the word, in `KnownWords`. */
  word: number
  /** The index of the rule. */
  rule: number
  family: PatternFamily
  /** How many of the rule's words are vague there, and how many it allows. */
  vague: number
  maxVague: number
}

/** In the order of the words. A word that is repeated without end gives at most `maxPerRule` matches of a rule. */
export function findMatches(words: KnownWords): RuleMatch[] {
  const matches: RuleMatch[] = []
  for (const [index, rule] of rules.entries()) {
    let found = 0
    eachMatch(words, rule, (word, vague) => {
      matches.push({ word, rule: index, family: rule.name, vague, maxVague: rule.maxVague })
      return ++found >= maxPerRule
    })
  }
  return matches.length > 1 ? matches.sort((a, b) => a.word - b.word) : matches
}

const maxPerRule = 64
