// Finds personal data in one text of an answer, as far as no later piece can change the matches, and replaces it.

import type { Finding } from '../finding.ts'
import { placeholder, withoutTokenParts } from '../masking/mask-token.ts'
import { findInSlice } from '../pii/find-entities.ts'
import { createNormalView, type NormalView } from '../pii/normal-view.ts'
import { maxMatchLength, openEndOf, openEndRulesOf } from '../pii/open-end.ts'
import type { PiiRules } from '../pii-shield.ts'
import { createWorkBudget } from '../work-budget.ts'
import type { AnswerText, TextScanner } from './answer-text.ts'

/** More than any text needs. A window is scanned at once, so this also limits how long a scan holds the thread. */
const stepsPerCharacter = 40
const freeSteps = 200_000

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
  const openEnds = openEndRulesOf(wanted)
  const mayMatch = openEnds.hasDates || openEnds.hasNames ? /\S/ : structural
  let settled = 0

  return {
    read(text, isWhole) {
      const { view, base } = text
      const from = settled - base
      if (from >= view.length) return settled
      const open = isWhole ? view.length : openIn(createNormalView(view), from, openEnds)
      if (open <= from) return settled
      settled = base + open
      if (mayMatch.test(view.slice(from, open))) {
        const budget = createWorkBudget(freeSteps + stepsPerCharacter * view.length)
        const found = withoutTokenParts(view, findInSlice(view, wanted, budget, custom), tokens)
        settled = base + settle(text, found, { from, open }, options)
      }
      return settled
    },
  }
}

/** Invisible characters between the others do not hold back more than this. */
const maxHeld = 1_024

/** Without these, a text has no structured value: digits, also as words, and what is in every e-mail address. */
const structural = /[0-9@%\u0080-\uffff]|\b(?:at|zero|one|two|three|four|five|six|seven|eight|nine)\b|::/i

function openIn(normal: NormalView, from: number, rules: ReturnType<typeof openEndRulesOf>): number {
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

/** Reports and replaces the matches that begin in the range. Returns where the text is settled. */
function settle(
  text: AnswerText,
  found: readonly Finding[],
  { from, open }: Range,
  { report, replaces }: PiiScannerOptions,
): number {
  const { view, base } = text
  let settled = open
  const finds: Finding[] = []
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
  }
  if (finds.length > 0) report(finds)
  if (!replaces) return settled
  for (const { start, end, type } of finds) text.cover(base + start, base + end, placeholder(type))
  return settled
}
