// Finds values of the types that a project defines itself. Compiled once for each configuration.

import type { PatternNode } from '../../../domain/patterns/pattern.ts'
import { readPattern } from '../../../domain/patterns/read-pattern.ts'
import type { CustomEntity } from '../../../domain/settings/custom-entities.ts'
import type { Finding } from '../../finding.ts'
import type { WorkBudget } from '../../work-budget.ts'
import { passesChecksum } from '../checksums.ts'
import { createPatternMatcher, maxMatch, type PatternMatch } from './pattern-matcher.ts'
import { createWordList, type WordList } from './word-list.ts'

type Budget = Pick<WorkBudget, 'spend' | 'spent'>

export interface CustomTypes {
  /** Yields so that others can run. The result has no order, and matches may overlap. None begins before `from`. */
  find(text: string, budget: Budget, from?: number): Generator<void, Finding[]>
  /** The first offset from `floor` on where a later text may make or change a match, or the text's length. */
  openEndOf(text: string, floor: number, budget: Budget): number
}

/** Higher than that of any built-in type: the project knows its own values best. */
const scoreOfCustom = 1
/** In UTF-16 units around a match. */
const contextBefore = 100
const contextAfter = 50

/** Yields so that others can run: a configuration may be large. */
export function* compileCustomTypes(entities: readonly CustomEntity[]): Generator<void, CustomTypes> {
  const patterns: { owner: number; node: PatternNode }[] = []
  for (const [owner, { patterns: sources = [] }] of entities.entries()) {
    for (const source of sources) {
      const outcome = readPattern(source)
      if (outcome.ok) patterns.push({ owner, node: outcome.value })
      yield
    }
  }
  const matcher = yield* createPatternMatcher(patterns.map(({ node }) => node))
  const words = yield* createWordList(entities.flatMap(({ words = [] }, owner) => listed(words, owner)))
  const { judge, awaitsContext } = yield* createJudge(entities)
  const hasContext = entities.some(({ context = [] }) => context.length > 0)
  const ownerOf = (pattern: number) => patterns[pattern]?.owner as number

  /** Where the first match begins whose context words may still come behind it. */
  function openContextOf(text: string, floor: number, budget: Budget): number {
    const from = Math.max(floor, text.length - maxMatch - contextAfter)
    const awaits = (owner: number, match: { start: number; end: number }) =>
      awaitsContext(text, budget, owner, match.start, match.end)
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

function listed(words: readonly string[], owner: number) {
  return words.map(text => ({ text, owner }))
}

function* createJudge(entities: readonly CustomEntity[]) {
  const contexts: (WordList | null)[] = []
  for (const [owner, { context = [] }] of entities.entries()) {
    contexts.push(context.length === 0 ? null : yield* createWordList(listed(context, owner)))
  }

  function hasContextBefore(text: string, budget: Budget, words: WordList, start: number): boolean {
    return hasWord(text.slice(Math.max(0, start - contextBefore), start), budget, words)
  }

  return {
    /** Whether a match passes the type's checksum and has one of its context words near it. */
    judge(text: string, budget: Budget, owner: number, start: number, end: number): boolean {
      const { checksum } = entities[owner] as CustomEntity
      if (checksum !== undefined) {
        budget.spend(stepsPerDigit * (end - start))
        if (!passesChecksum(checksum, text.slice(start, end))) return false
      }
      const words = contexts[owner] ?? null
      if (words === null || hasContextBefore(text, budget, words, start)) return true
      return hasWord(text.slice(end, end + contextAfter), budget, words)
    },

    /** Whether a later text may have the context word that decides about a match. */
    awaitsContext(text: string, budget: Budget, owner: number, start: number, end: number): boolean {
      const words = contexts[owner] ?? null
      if (words === null || end + contextAfter <= text.length) return false
      return !hasContextBefore(text, budget, words, start)
    },
  }
}

/** By measurement. */
const stepsPerSearch = 100
const stepsPerDigit = 10

function hasWord(text: string, budget: Budget, words: WordList): boolean {
  budget.spend(stepsPerSearch)
  for (const match of words.find(text, budget)) if (match !== null) return true
  return false
}
