// Finds personal data in a text of any length, slice by slice, so that others can run in between. Scans for all types
// where a wanted one is: a card number is not a bank account, even if only bank accounts are wanted.

import { type EntityName, entityTypes } from '../../domain/settings/settings.ts'
import { confidenceThreshold, type Finding } from '../finding.ts'
import { type Slice, sliceText } from '../slices.ts'
import { breathing, type WorkBudget } from '../work-budget.ts'
import { findCredentials } from './credentials/find-credentials.ts'
import type { CustomTypes } from './custom/custom-types.ts'
import { keepSurest } from './overlaps.ts'
import { isMatch, scanSlice } from './scan-slice.ts'
import { tagNames } from './tagger/tag-names.ts'

/** The first half of two slices' overlap belongs to the earlier one; no match is longer than the other half. */
const sharedHalf = 256
/** The tagger's steps for each character. */
const stepsToTag = 4

/** Returns matches of the wanted types at or above the threshold, without overlaps, in the order of the text. */
export async function findEntities(
  text: string,
  wanted: ReadonlySet<EntityName>,
  budget: WorkBudget,
  custom: CustomTypes | null = null,
): Promise<Finding[]> {
  if (wanted.size === 0) return []
  const whole = wanted.has('CREDENTIAL') ? await breathing(findCredentials(text, budget), budget.breathe) : []
  if (custom !== null) whole.push(...(await breathing(custom.find(text, budget), budget.breathe)))
  // No other type is surer than these, so nothing that is found slice by slice can be one instead.
  const sliced = wantsSlices(wanted) ? await findInSlices(text, wanted, budget) : []
  return mergeSurest(sliced, whole, wanted)
}

/**
 * The same for a text of at most a slice's length, at once. Own types have no matches that begin before `from`; what
 * begins at `open` or behind it may still change, so that it beats nothing that begins before.
 */
export function findInSlice(
  text: string,
  wanted: ReadonlySet<EntityName>,
  budget: WorkBudget,
  custom: CustomTypes | null = null,
  { from, open } = { from: 0, open: text.length },
): Finding[] {
  const whole = wanted.has('CREDENTIAL') ? finish(findCredentials(text, budget)) : []
  if (custom !== null) whole.push(...finish(custom.find(text, budget, from)))
  const isSettled = ({ start }: Finding) => start < open
  const sliced: Finding[] = []
  if (wantsSlices(wanted)) {
    const found = scanWanted(text, wanted, budget) ?? []
    keepSurest(
      sliced,
      found.filter(find => isSure(find) && isSettled(find)),
    )
  }
  return mergeSurest(sliced, whole.filter(isSettled), wanted)
}

function finish(finding: Generator<void, Finding[]>): Finding[] {
  for (;;) {
    const step = finding.next()
    if (step.done === true) return step.value
  }
}

/** Whether any type is wanted that is read in slices of the normalised text. */
export function wantsSlices(wanted: ReadonlySet<EntityName>): boolean {
  return entityTypes.some(type => type !== 'CREDENTIAL' && wanted.has(type))
}

function isSure({ score }: Finding): boolean {
  return score >= confidenceThreshold
}

function mergeSurest(
  sliced: readonly Finding[],
  whole: readonly Finding[],
  wanted: ReadonlySet<EntityName>,
): Finding[] {
  let kept = sliced
  if (whole.length > 0) {
    const merged: Finding[] = []
    keepSurest(merged, [...sliced, ...whole])
    kept = merged
  }
  return kept.filter(find => wanted.has(find.type))
}

/** Scans for all types where a wanted one is; the result has others, too. */
async function findInSlices(text: string, wanted: ReadonlySet<EntityName>, budget: WorkBudget): Promise<Finding[]> {
  const kept: Finding[] = []
  let skipped: { slice: Slice; from: number } | null = null
  let from = 0
  const slices = [...sliceText(text)]
  for (let index = 0; index < slices.length; index++) {
    const slice = slices[index] as Slice
    const next = slices[index + 1]
    const to = next === undefined ? text.length : next.start + sharedHalf
    const found = scanWanted(slice.text, wanted, budget)
    if (found === null) skipped = { slice, from }
    else {
      const isNearBorder = (find: Finding) => isMatch(find, wanted) && find.start + slice.start < from + sharedHalf
      // A match of another type may begin before the border and take this one away.
      if (skipped !== null && found.some(isNearBorder)) {
        keepSurest(kept, matchesWithin(scanAll(skipped.slice.text, wanted, budget), skipped.slice, skipped.from, from))
      }
      skipped = null
      keepSurest(kept, matchesWithin(found, slice, from, to))
    }
    from = to
    // Awaiting undefined would cost a microtask for each short text.
    const breath = budget.breathe()
    if (breath !== undefined) await breath
  }
  return kept
}

/** Matches of all types; null if there is none of a wanted type. */
function scanWanted(text: string, wanted: ReadonlySet<EntityName>, budget: WorkBudget): Finding[] | null {
  const names = scanNames(text, wanted, budget)
  const hasName = names.some(find => isMatch(find, wanted))
  const found = scanSlice(text, budget, hasName ? null : wanted)
  if (!hasName && !found.some(find => isMatch(find, wanted))) return null
  return [...found, ...names]
}

function scanAll(text: string, wanted: ReadonlySet<EntityName>, budget: WorkBudget): Finding[] {
  return [...scanSlice(text, budget), ...scanNames(text, wanted, budget)]
}

/** The tagger costs most, so it runs only for its own types. */
function scanNames(text: string, wanted: ReadonlySet<EntityName>, budget: WorkBudget): Finding[] {
  if (!wanted.has('PERSON') && !wanted.has('LOCATION')) return []
  budget.spend(stepsToTag * text.length)
  return tagNames(text)
}

/** Those that begin in [from, to) of the whole text, with their offsets there. */
function matchesWithin(found: readonly Finding[], slice: Slice, from: number, to: number): Finding[] {
  const own: Finding[] = []
  for (const find of found) {
    const start = find.start + slice.start
    if (isSure(find) && start >= from && start < to) own.push({ ...find, start, end: find.end + slice.start })
  }
  return own
}
