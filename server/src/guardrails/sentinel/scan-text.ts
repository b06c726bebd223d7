// Looks for the five families in one slice of text, in each way that it can be read. Knows no message and no blocklist.

import type { WorkBudget } from '../work-budget.ts'
import { foldText } from './fold-text.ts'
import { derive, findMatch, readRule } from './match-rules.ts'
import { type PatternFamily, patternFamilies } from './pattern-families.ts'
import { readWords } from './read-words.ts'
import { derivations, familyRules } from './rules.ts'
import { maskOf } from './word-classes.ts'

const compiledDerivations = derivations.map(([name, rule]) => readRule(name, rule))
const derivedMasks = derivations.map(([name]) => maskOf([name]))
const compiledFamilies = familyRules.map(([family, rule]) => readRule(family, rule))

/** The families of which the slice has a phrase are added to `found`. */
export function scanText(text: string, budget: WorkBudget, found: Set<PatternFamily>): void {
  scanView(foldText(text), budget, found)
}

function scanView(view: Uint16Array, budget: WorkBudget, found: Set<PatternFamily>): void {
  budget.spend(view.length)
  if (found.size === patternFamilies.length) return
  const words = readWords(view)
  derive(words, compiledDerivations, derivedMasks)
  for (const rule of compiledFamilies) {
    if (!found.has(rule.name) && findMatch(words, rule) !== -1) found.add(rule.name)
  }
}
