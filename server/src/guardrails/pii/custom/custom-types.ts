// Finds values of the types that a project defines itself. Compiled once for each configuration.

import { readPattern } from '../../../domain/patterns/read-pattern.ts'
import type { CustomEntity } from '../../../domain/settings/custom-entities.ts'
import type { Finding } from '../../finding.ts'
import type { WorkBudget } from '../../work-budget.ts'
import { passesChecksum } from '../checksums.ts'
import { createPatternMatcher, maxMatch, type PatternMatch } from './pattern-matcher.ts'
import { createWordList, foldUnits, isBoundary } from './word-list.ts'

export interface CustomTypes {
  /** Yields so that others can run. The result has no order, and matches may overlap. None begins before `from`. */
  find(text: string, budget: Pick<WorkBudget, 'spend'>, from?: number): Generator<void, Finding[]>
  /** The first offset from `floor` on where a later text may make or change a match, or the text's length. */
  openEndOf(text: string, floor: number, budget: Pick<WorkBudget, 'spend'>): number
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
  const words = createWordList(entities.flatMap(({ words = [] }, owner) => words.map(text => ({ text, owner }))))
  const { judge, awaitsContext } = createJudge(entities)
  const hasContext = entities.some(({ context = [] }) => context.length > 0)
  const ownerOf = (pattern: number) => patterns[pattern]?.owner as number

  /** Where the first match begins whose context words may still come behind it. */
  function openContextOf(text: string, floor: number, budget: Pick<WorkBudget, 'spend'>): number {
    const from = Math.max(floor, text.length - maxMatch - contextAfter)
    const awaits = (owner: number, match: { start: number; end: number }) =>
      awaitsContext(text, owner, match.start, match.end)
    let open = text.length
    for (const match of matcher.find(text, budget, found => awaits(ownerOf(found.pattern), found), from)) {
      if (match === null) continue
      open = match.start
      break
    }
    for (const match of words.find(text, budget, from)) {
      if (match !== null && awaits(match.owner, match)) return Math.min(open, match.start)
    }
    return open
  }

  return {
    *find(text, budget, from = 0) {
      const finds: Finding[] = []
      const add = (owner: number, start: number, end: number) => {
        const { name: type } = entities[owner] as CustomEntity
        finds.push({ type, start, end, score: scoreOfCustom })
      }
      if (patterns.length > 0) {
        const accepts = (match: PatternMatch) => judge(text, budget, ownerOf(match.pattern), match.start, match.end)
        for (const match of matcher.find(text, budget, accepts, from)) {
          if (match === null) yield
          else add(ownerOf(match.pattern), match.start, match.end)
        }
      }
      for (const match of words.find(text, budget, from)) {
        if (match === null) yield
        else if (judge(text, budget, match.owner, match.start, match.end)) add(match.owner, match.start, match.end)
      }
      return finds
    },

    openEndOf(text, floor, budget) {
      const open = Math.min(matcher.openEndOf(text, floor, budget), words.openEndOf(text, floor, budget))
      return hasContext ? Math.min(open, openContextOf(text, floor, budget)) : open
    },
  }
}

function createJudge(entities: readonly CustomEntity[]) {
  const contexts = entities.map(({ context = [] }) => context.map(foldUnits))

  function hasContextBefore(text: string, owner: number, start: number): boolean {
    return hasWord(foldUnits(text.slice(Math.max(0, start - contextBefore), start)), contexts[owner] ?? [])
  }

  return {
    /** Whether a match passes the type's checksum and has one of its context words near it. */
    judge(text: string, budget: Pick<WorkBudget, 'spend'>, owner: number, start: number, end: number): boolean {
      if (!passesChecksum(entities[owner]?.checksum, text.slice(start, end))) return false
      const words = contexts[owner] ?? []
      if (words.length === 0) return true
      budget.spend(words.length + contextBefore)
      return hasContextBefore(text, owner, start) || hasWord(foldUnits(text.slice(end, end + contextAfter)), words)
    },

    /** Whether a later text may have the context word that decides about a match. */
    awaitsContext(text: string, owner: number, start: number, end: number): boolean {
      const isComplete = contexts[owner]?.length === 0 || end + contextAfter <= text.length
      return !isComplete && !hasContextBefore(text, owner, start)
    },
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
