// Finds values of the types that a project defines itself. Compiled once for each configuration.

import { readPattern } from '../../../domain/patterns/read-pattern.ts'
import type { CustomEntity } from '../../../domain/settings/custom-entities.ts'
import type { Finding } from '../../finding.ts'
import type { WorkBudget } from '../../work-budget.ts'
import { passesChecksum } from '../checksums.ts'
import { createPatternMatcher } from './pattern-matcher.ts'
import { createWordList, foldUnits, isBoundary } from './word-list.ts'

export interface CustomTypes {
  /** Yields so that others can run. The result has no order, and matches may overlap. */
  find(text: string, budget: Pick<WorkBudget, 'spend'>): Generator<void, Finding[]>
}

/** Higher than that of any built-in type: the project knows its own values best. */
const scoreOfCustom = 1
/** In UTF-16 units around a match. */
const contextBefore = 100
const contextAfter = 50

export function compileCustomTypes(entities: readonly CustomEntity[]): CustomTypes {
  const patterns = entities.flatMap(({ patterns = [] }, owner) =>
    patterns.flatMap(source => {
      const outcome = readPattern(source)
      return outcome.ok ? [{ owner, node: outcome.value }] : []
    }),
  )
  const matcher = createPatternMatcher(patterns.map(({ node }) => node))
  const findWords = createWordList(entities.flatMap(({ words = [] }, owner) => words.map(text => ({ text, owner }))))
  const judge = createJudge(entities)
  return {
    *find(text, budget) {
      const finds: Finding[] = []
      const add = (owner: number, start: number, end: number) => {
        const { name: type } = entities[owner] as CustomEntity
        finds.push({ type, start, end, score: scoreOfCustom })
      }
      const ownerOf = (pattern: number) => patterns[pattern]?.owner as number
      if (patterns.length > 0) {
        const accepts = (match: { pattern: number; start: number; end: number }) =>
          judge(text, budget, ownerOf(match.pattern), match.start, match.end)
        for (const match of matcher.find(text, budget, accepts)) {
          if (match === null) yield
          else add(ownerOf(match.pattern), match.start, match.end)
        }
      }
      for (const match of findWords(text, budget)) {
        if (match === null) yield
        else if (judge(text, budget, match.owner, match.start, match.end)) add(match.owner, match.start, match.end)
      }
      return finds
    },
  }
}

/** Whether a match passes the type's checksum and has one of its context words near it. */
function createJudge(entities: readonly CustomEntity[]) {
  const contexts = entities.map(({ context = [] }) => context.map(foldUnits))
  return (text: string, budget: Pick<WorkBudget, 'spend'>, owner: number, start: number, end: number): boolean => {
    if (!passesChecksum(entities[owner]?.checksum, text.slice(start, end))) return false
    const words = contexts[owner] ?? []
    if (words.length === 0) return true
    budget.spend(words.length + contextBefore)
    const before = text.slice(Math.max(0, start - contextBefore), start)
    const after = text.slice(end, end + contextAfter)
    return [before, after].some(part => hasWord(foldUnits(part), words))
  }
}

function hasWord(folded: string, words: readonly string[]): boolean {
  return words.some(word => {
    for (let at = folded.indexOf(word); at !== -1; at = folded.indexOf(word, at + 1)) {
      if (isBoundary(folded, at) && isBoundary(folded, at + word.length)) return true
    }
    return false
  })
}
