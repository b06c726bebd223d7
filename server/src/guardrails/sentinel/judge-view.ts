// Decides by two readers whether a view holds an attack: a grammar of each family, and a trained model. A match of the
// grammar counts if the model does not find the words around it harmless; how much it may object depends on how firm
// the matched words are. The model alone counts if it is certain.

import { findMatches } from './find-matches.ts'
import type { SecondReader } from './model/model.ts'
import type { Support } from './model/model-weights.ts'
import { nameFamily } from './name-family.ts'
import type { PatternFamily } from './pattern-families.ts'
import type { ViewJudge } from './scan-text.ts'

/** Decides on a match by the model's score for it. */
export type NoteMatch = (support: Support, score: number, family: PatternFamily) => void

/**
 * `lowest`: the lowest score that counts without a match. `settled`: families that need no further matches.
 */
export function createJudge(
  reader: SecondReader,
  lowest: number,
  settled: ReadonlySet<PatternFamily>,
  note: NoteMatch,
): ViewJudge {
  return (view, words, budget) => {
    const matches = findMatches(words)
    reader.read(view, words, matches)
    budget.spend(reader.work >> 2)
    for (const { word, family, vague, maxVague } of matches) {
      if (settled.has(family)) continue
      const support = vague === 0 ? 'firm' : vague <= maxVague ? 'usual' : 'vague'
      note(support, reader.near(words.starts[word]!), family)
    }
    const best = reader.best()
    if (best >= lowest) note('none', best, nameFamily(words, reader.bestWindow))
  }
}
