// Reads a view with a grammar of each family and with a trained model, which scores the words around each match and,
// without one, the most suspicious words. Of a short text all that the readers find is collected, so that one sum of it
// can decide.

import { findMatches } from './find-matches.ts'
import type { SecondReader } from './model/model.ts'
import type { PhraseReader } from './model/phrase-reader.ts'
import { outsideQuotes } from './model/quotes.ts'
import type { Findings, OutsideScores } from './model/sum.ts'
import { type Support, supports } from './model/supports.ts'
import { type Extent, extents } from './model/windows.ts'
import { nameFamily } from './name-family.ts'
import { type PatternFamily, patternFamilies } from './pattern-families.ts'
import type { ViewJudge } from './scan-text.ts'

/** Notes a match, or a window without one, with the model's score for it. */
export type NoteMatch = (extent: Extent, support: Support, score: number, family: PatternFamily) => void

/** The extents that are scored, and the lowest score that counts without a match of the grammar. */
export type Lowest = Readonly<Partial<Record<Extent, number>>>

export function createJudge(reader: SecondReader, lowest: Lowest, note: NoteMatch): ViewJudge {
  const scored = extents.filter(extent => lowest[extent] !== undefined)
  return (view, words, budget) => {
    const matches = findMatches(words)
    reader.read(scored, view, words, matches)
    budget.spend(reader.work >> 2)
    for (const { word, family, vague, maxVague } of matches) {
      const support = vague === 0 ? 'firm' : vague <= maxVague ? 'usual' : 'vague'
      for (const extent of scored) note(extent, support, reader.near(extent, words.starts[word]!), family)
    }
    for (const extent of scored) {
      const best = reader.best(extent)
      if (best >= lowest[extent]!) note(extent, 'none', best, nameFamily(words, reader.bestWindow))
    }
  }
}

export interface Readers {
  words: SecondReader
  phrases: PhraseReader
}

type FamilyScores = Map<PatternFamily, number>

const nothing = Number.NEGATIVE_INFINITY
/** Every score counts, except that of a view that is too short. */
const lowest = { whole: -Number.MAX_VALUE, window: -Number.MAX_VALUE }
/** A match in words that are more harmless names no family if another match does. */
const minNaming = -2

export class TextFindings implements Findings {
  readonly evidence = {
    whole: { none: nothing, vague: nothing, usual: nothing, firm: nothing },
    window: { none: nothing, vague: nothing, usual: nothing, firm: nothing },
  }
  phrases = 0
  net = 0
  tokens = 0
  outside: OutsideScores | null = null
  /** Whether a view was read. */
  isBegun = false
  /** Of each family the highest score: by a match as its rule demands, by a vaguer one, and without a match. */
  readonly #scores: readonly [matched: FamilyScores, vague: FamilyScores, named: FamilyScores] = [
    new Map(),
    new Map(),
    new Map(),
  ]

  clear(): void {
    for (const extent of extents) for (const support of supports) this.evidence[extent][support] = nothing
    for (const scores of this.#scores) scores.clear()
    this.outside = null
    this.isBegun = false
  }

  note(extent: Extent, support: Support, score: number, family: PatternFamily): void {
    if (score > this.evidence[extent][support]) this.evidence[extent][support] = score
    const [matched, vague, named] = this.#scores
    const scores = support === 'none' ? named : support === 'vague' ? vague : matched
    if (score > (scores.get(family) ?? nothing)) scores.set(family, score)
  }

  /** Those that the grammar matches; if there are none, that which the words of the best window suggest. */
  families(): PatternFamily[] {
    const [matched, vague, named] = this.#scores
    for (const scores of [matched, vague]) {
      const least = Math.min(minNaming, Math.max(...scores.values()))
      if (scores.size > 0) return patternFamilies.filter(family => (scores.get(family) ?? nothing) >= least)
    }
    const best = Math.max(...named.values())
    return patternFamilies.filter(family => named.get(family) === best)
  }
}

/** Writes into `findings`, until they are cleared. */
export function createCollector({ words: reader, phrases }: Readers, findings: TextFindings): ViewJudge {
  const judge = createJudge(reader, lowest, (extent, support, score, family) =>
    findings.note(extent, support, score, family),
  )
  return (view, words, budget) => {
    judge(view, words, budget)
    if (!findings.isBegun) {
      findings.isBegun = true
      findings.tokens = reader.tokens
      findings.phrases = phrases.score(view)
      findings.net = phrases.netScore
      budget.spend(phrases.work >> 2)
      const outside = outsideQuotes(view)
      if (outside === null) return
      findings.outside = { phrases: phrases.score(outside), net: phrases.netScore }
      budget.spend(phrases.work >> 2)
    }
  }
}
