// Compares matches with labels. A label is found if matches of its type cover 70 % of its characters. A match is right
// if labels of its type cover half of it. Exact ends of spans matter less than how much personal data stays readable.

import { type EntityType, entityTypes } from '../../server/src/domain/settings/settings.ts'
import type { Finding } from '../../server/src/guardrails/finding.ts'
import type { PiiRecord, Zone } from './labelled-records.ts'

const coverToBeFound = 0.7
const coverToBeRight = 0.5

export interface PiiCounts {
  labelled: number
  found: number
  /** A match has exactly the offsets of the label. */
  exact: number
  right: number
  wrong: number
}

export type PiiTally = Map<EntityType, PiiCounts>

export function createPiiTally(): PiiTally {
  return new Map(entityTypes.map(type => [type, { labelled: 0, found: 0, exact: 0, right: 0, wrong: 0 }]))
}

export function countFinds(tally: PiiTally, record: PiiRecord, finds: readonly Finding[]): void {
  for (const [type, counts] of tally) {
    if (!record.types.includes(type)) continue
    const labels = record.spans.filter(span => span.type === type)
    const ours = finds.filter(find => find.type === type)
    counts.labelled += labels.length
    for (const label of labels) {
      if (covered(label, ours) >= coverToBeFound) counts.found += 1
      if (ours.some(find => find.start === label.start && find.end === label.end)) counts.exact += 1
    }
    for (const find of ours) {
      if (covered(find, labels) >= coverToBeRight) counts.right += 1
      else if (!record.partly.includes(type) && !record.ignored.some(zone => touches(zone, find))) counts.wrong += 1
    }
  }
}

/** The share of a zone's characters that are inside one of the others. */
function covered(zone: Zone, others: readonly Zone[]): number {
  let characters = 0
  let reached = zone.start
  for (const other of [...others].sort((a, b) => a.start - b.start)) {
    const from = Math.max(other.start, reached)
    const to = Math.min(other.end, zone.end)
    if (to <= from) continue
    characters += to - from
    reached = to
  }
  return characters / Math.max(1, zone.end - zone.start)
}

function touches(a: Zone, b: Zone): boolean {
  return Math.min(a.end, b.end) > Math.max(a.start, b.start)
}

export interface PiiScores {
  precision: number
  recall: number
  f1: number
  exact: number
}

export function scoresOf({ labelled, found, exact, right, wrong }: PiiCounts): PiiScores {
  const precision = right / Math.max(1, right + wrong)
  const recall = found / Math.max(1, labelled)
  const f1 = precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall)
  return { precision, recall, f1, exact: exact / Math.max(1, labelled) }
}
