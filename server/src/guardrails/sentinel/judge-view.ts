// Decides by two readers whether a view holds an attack: a grammar of each family, and a trained model. A match of the
// grammar counts if the model does not find the words around it harmless; how much it may object depends on how firm
// the matched words are. The model alone counts if it is certain.

import { findMatches } from './find-matches.ts'
import type { SecondReader } from './model/model.ts'
import type { Support } from './model/model-weights.ts'
import { type Extent, extents } from './model/windows.ts'
import { nameFamily } from './name-family.ts'
import type { PatternFamily } from './pattern-families.ts'
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
