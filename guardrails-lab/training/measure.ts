// Compares matches with labels. A label is found if matches of its type cover 70 % of it. A match is right if labels of
// its type cover half of it.

import type { Finding } from '../../server/src/guardrails/finding.ts'
import type { LabelledRow } from './labelled-rows.ts'

export interface Tally {
  wanted: number
  found: number
  right: number
  wrong: number
}

export function createTally(): Tally {
  return { wanted: 0, found: 0, right: 0, wrong: 0 }
}

export function countRow(row: LabelledRow, type: 'PERSON' | 'LOCATION', finds: Finding[], tally: Tally): void {
  if (!row.types.includes(type)) return
  const wanted = row.spans.filter(span => span.type === type)
  tally.wanted += wanted.length
  tally.found += wanted.filter(span => shareCovered(span, finds) >= 0.7).length
  for (const find of finds) {
    if (shareCovered(find, wanted) >= 0.5) tally.right++
    else if (!row.ignore.some(zone => zone.start < find.end && zone.end > find.start) && !row.partly.includes(type))
      tally.wrong++
  }
}

function shareCovered(span: { start: number; end: number }, by: { start: number; end: number }[]): number {
  let covered = 0
  for (let at = span.start; at < span.end; at++) if (by.some(other => at >= other.start && at < other.end)) covered++
  return covered / (span.end - span.start || 1)
}

export function scores({ wanted, found, right, wrong }: Tally): { precision: number; recall: number; f1: number } {
  const precision = right / (right + wrong || 1)
  const recall = found / (wanted || 1)
  return { precision, recall, f1: (2 * precision * recall) / (precision + recall || 1) }
}
