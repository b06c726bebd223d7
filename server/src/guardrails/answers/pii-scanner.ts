// Finds personal data in one text of an answer, as far as no later piece can change the matches, and replaces it.

import { type EntityName, entityTypes } from '../../domain/settings/settings.ts'
import type { Finding } from '../finding.ts'
import { placeholder, withoutTokenParts } from '../masking/mask-token.ts'
import { findInSlice } from '../pii/find-entities.ts'
import { createNormalView, type NormalView } from '../pii/normal-view.ts'
import { type ReadRest, restReaderOf } from '../pii/open-credentials.ts'
import { maxMatchLength, type OpenEndRules, openEndAsItIs, openEndOf, openEndRulesOf } from '../pii/open-end.ts'
import type { PiiRules } from '../pii-shield.ts'
import { createWorkBudget, type WorkBudget } from '../work-budget.ts'
import type { AnswerText, TextScanner } from './answer-text.ts'

/** More than any text needs: pieces may be tiny, and each reads the characters before it again. */
const stepsPerPiece = 200_000
const stepsPerCharacter = 40
/** A window is scanned at once, so this limits how long a scan holds the thread. */
const mostSteps = 3_000_000

interface PiiScannerOptions {
  rules: Pick<PiiRules, 'wanted' | 'custom' | 'tokens'>
  /** False: matches are only reported. */
  replaces: boolean
  /** Gets the matches before they are replaced. May throw to end the answer. */
  report(finds: readonly Finding[]): void
}

/** Creates the scanner of one text. */
export function createPiiScanner(options: PiiScannerOptions): TextScanner {
  const { wanted, custom, tokens } = options.rules
  const openEnds = openEndRulesOf(wanted, custom)
  const mayMatch = openEnds.hasDates || openEnds.hasNames ? /\S/ : structural
  const formless = new Set([...wanted].filter(type => !isStructured(type)))
  let settled = 0
  /** Reads on in a credential that was longer than what can be held back. */
  let readRest: ReadRest | null = null
  let restLength = 0
  /** What this text may cost now. What is left over is kept for dearer pieces. */
  let steps = mostSteps

  /** Removes what belongs to a credential whose beginning is replaced. True if the text after it may have more. */
  function removeRest(text: AnswerText, read: ReadRest, isWhole: boolean): boolean {
    const { length, isOpen } = read(text.view.slice(settled - text.base))
    if (options.replaces && length > 0) text.cover(settled, settled + length, '')
    settled += length
    restLength += length
    return isOpen && !isWhole && restLength < maxRest
  }

  function scan(text: AnswerText, isWhole: boolean, budget: WorkBudget): void {
    const { view, base } = text
    const from = settled - base
    const open = isWhole ? view.length : openIn(view, from, openEnds, budget)
    if (open <= from) return
    settled = base + open
    // A value that begins before what another type holds back may have its digits behind that.
    const sought = mayMatch.test(view.slice(from)) ? wanted : formless
    if (sought.size === 0) return
    const found = withoutTokenParts(view, findInSlice(view, sought, budget, custom, { from, open }), tokens)
    const reached = settle(text, found, { from, open }, options)
    settled = base + reached.settled
    const { last } = reached
    readRest = last?.type === 'CREDENTIAL' && !isWhole ? restReaderOf(view, last) : null
    if (last !== null && readRest !== null) settled = base + last.end
    restLength = 0
  }

  return {
    read(text, isWhole) {
      if (readRest !== null && removeRest(text, readRest, isWhole)) return settled
      readRest = null
      const { length } = text.view
      if (settled - text.base >= length) return settled
      steps = Math.min(mostSteps, steps + stepsPerPiece + stepsPerCharacter * length)
      const budget = createWorkBudget(steps)
      scan(text, isWhole, budget)
      steps -= budget.spent
      return settled
    },
  }
}

/** As long as the longest private key. */
const maxRest = 20_000
/** Invisible characters between the others do not hold back more than this. */
const maxHeld = 1_024

/** Without these, a text has no structured value: digits, also as words, and what is in every e-mail address. */
const structural = /[0-9@%\u0080-\uffff]|\b(?:at|zero|one|two|three|four|five|six|seven|eight|nine)\b|::/i

/** Own types and credentials may have none of these. */
function isStructured(type: EntityName): boolean {
  return type !== 'CREDENTIAL' && entityTypes.some(known => known === type)
}

function openIn(view: string, from: number, rules: OpenEndRules, budget: WorkBudget): number {
  const open = openEndAsItIs(view, from, rules, budget)
  return rules.hasNormalised ? Math.min(open, openInNormal(createNormalView(view), from, rules)) : open
}

function openInNormal(normal: NormalView, from: number, rules: OpenEndRules): number {
  const { text, origin } = normal
  if (origin === null) return openEndOf(text, from, rules)
  const { starts } = origin
  let first = 0
  while (first < text.length && (starts[first] as number) < from) first++
  const open = openEndOf(text, first, rules)
  // Invisible characters before the open end may be a part of it.
  const before = open === 0 ? -1 : (starts[open - 1] as number) + (origin.widths[open - 1] as number)
  return Math.max(from, before, starts.length - maxHeld)
}

interface Range {
  from: number
  open: number
}

interface Reached {
  settled: number
  /** The last match that was not held back. */
  last: Finding | null
}

/** Reports and replaces the matches that begin in the range. */
function settle(
  text: AnswerText,
  found: readonly Finding[],
  { from, open }: Range,
  { report, replaces }: PiiScannerOptions,
): Reached {
  const { view, base } = text
  let settled = open
  const finds: Finding[] = []
  let last: Finding | null = null
  for (const find of found) {
    if (find.end <= from) continue
    if (find.start >= settled) break
    if (find.end > settled) {
      const isHeld = view.length - find.start <= maxMatchLength && find.start >= from
      // The match may become longer.
      settled = isHeld ? find.start : find.end
      if (isHeld) break
    }
    finds.push({ ...find, start: Math.max(from, find.start) })
    last = find
  }
  if (finds.length > 0) report(finds)
  if (replaces) for (const { start, end, type } of finds) text.cover(base + start, base + end, placeholder(type))
  return { settled, last }
}
