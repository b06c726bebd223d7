// Finds words of a list in a text, whatever their case. A word that begins or ends with a letter or digit must do so at
// a word boundary, except in scripts that do not separate words.

import type { WorkBudget } from '../../work-budget.ts'

export interface WordMatch {
  /** The number that the word was listed with. */
  owner: number
  start: number
  end: number
}

export interface ListedWord {
  text: string
  owner: number
}

export interface WordList {
  /** Yields null after each stretch, so that others can run. */
  find(text: string, budget: Pick<WorkBudget, 'spend' | 'spent'>, from?: number): Generator<WordMatch | null, void>
  /** The first offset from `floor` on where a word may begin that a later text completes, or the text's length. */
  openEndOf(text: string, floor: number, budget: Pick<WorkBudget, 'spend'>): number
}

const stretch = 4_096
const keyLength = 2
/** By measurement, of words that differ only at their ends. */
const stepsPerWord = 8
/** A fraction of a millisecond. */
const stepsPerYield = 50_000
const wordsPerYield = 500

interface Sorted {
  /** By the first two units. The longest word comes first. */
  byStart: ReadonlyMap<string, readonly ListedWord[]>
  firstUnits: ReadonlySet<string>
  longest: number
}

function* sortWords(words: readonly ListedWord[]): Generator<void, Sorted> {
  const byStart = new Map<string, ListedWord[]>()
  const firstUnits = new Set<string>()
  let longest = 0
  for (const [index, { text, owner }] of words.entries()) {
    if (index % wordsPerYield === 0) yield
    const folded = foldUnits(text)
    const key = folded.slice(0, keyLength)
    const same = byStart.get(key) ?? []
    byStart.set(key, same)
    same.push({ text: folded, owner })
    firstUnits.add(folded.charAt(0))
    longest = Math.max(longest, folded.length)
  }
  for (const same of byStart.values()) {
    same.sort((one, other) => other.text.length - one.text.length)
    if (same.length > wordsPerYield) yield
  }
  return { byStart, firstUnits, longest }
}

/** Yields so that others can run. */
export function* createWordList(words: readonly ListedWord[]): Generator<void, WordList> {
  const { byStart, firstUnits, longest } = yield* sortWords(words)
  return {
    *find(text, budget, first = 0) {
      if (byStart.size === 0) return
      let free = 0
      let yieldAt = budget.spent + stepsPerYield
      for (let from = first; from < text.length; from += stretch) {
        const to = Math.min(from + stretch, text.length)
        // Words of the next stretch's beginning, too.
        const folded = foldUnits(text.slice(from, to + maxWord))
        budget.spend(folded.length)
        for (let at = Math.max(from, free); at < to; at++) {
          if (!isBoundary(text, at)) continue
          const candidates = byStart.get(folded.slice(at - from, at - from + keyLength))
          if (candidates === undefined) continue
          budget.spend(stepsPerWord * candidates.length)
          if (budget.spent >= yieldAt) {
            yield null
            yieldAt = budget.spent + stepsPerYield
          }
          const word = candidates.find(({ text: word }) => {
            return folded.startsWith(word, at - from) && isBoundary(text, at + word.length)
          })
          if (word === undefined) continue
          free = at + word.text.length
          yield { owner: word.owner, start: at, end: free }
          at = free - 1
        }
        yield null
      }
    },

    openEndOf(text, floor, budget) {
      const from = Math.max(floor, text.length - longest)
      const folded = foldUnits(text.slice(from))
      budget.spend(folded.length)
      for (let at = from; at < text.length; at++) {
        const rest = folded.slice(at - from)
        const candidates = byStart.get(rest.slice(0, keyLength)) ?? []
        budget.spend(stepsPerWord * candidates.length)
        const mayBegin =
          rest.length < keyLength ? firstUnits.has(rest) : candidates.some(word => word.text.startsWith(rest))
        if (mayBegin && isBoundary(text, at)) return at
      }
      return text.length
    },
  }
}

/** Code points; twice as many units. */
const maxWord = 200

/** Lower case, unit by unit, so that offsets stay; the same for a sigma wherever it stands in its word. */
function foldUnits(text: string): string {
  return lowerUnits(text).replaceAll('ς', 'σ')
}

function lowerUnits(text: string): string {
  const lower = text.toLowerCase()
  if (lower.length === text.length) return lower
  return text.replace(/[^\0-\x7f]/g, unit => {
    const folded = unit.toLowerCase()
    return folded.length === 1 ? folded : unit
  })
}

function isBoundary(text: string, at: number): boolean {
  return !(joinsWords(text.charCodeAt(at - 1)) && joinsWords(text.charCodeAt(at)))
}

const letterOrDigit = /[\p{L}\p{N}\p{M}]/u
const unseparated = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

/** Whether the unit is part of a word of a script that separates words. */
function joinsWords(unit: number): boolean {
  if (unit < 0x80) {
    const lower = unit | 0x20
    return (lower >= 0x61 && lower <= 0x7a) || (unit >= 0x30 && unit <= 0x39)
  }
  const character = String.fromCharCode(unit)
  return letterOrDigit.test(character) && !unseparated.test(character)
}
