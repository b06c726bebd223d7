// The scanner's own labelled cases (server/test/data/pii-cases) and the measure for them: a value counts as found when
// most of it is covered, a find as right when half of it lies in a value of its type.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type EntityType, entityTypes } from '../../../src/domain/settings/settings.ts'
import { findEntities } from '../../../src/guardrails/pii/find-entities.ts'
import { createWorkBudget } from '../../../src/guardrails/work-budget.ts'

export interface Span {
  start: number
  end: number
  type: EntityType
}

export interface LabelledText {
  text: string
  spans: Span[]
  /** Types whose finds count here. */
  types: readonly EntityType[]
  /** Where a find is neither right nor wrong. */
  ignore?: { start: number; end: number }[]
  /** Where labels are incomplete: misses count, finds do not. */
  recall_only?: boolean
  recall_only_types?: string[]
}

export const structuralTypes = entityTypes.filter(type => !['PERSON', 'LOCATION', 'CREDENTIAL'].includes(type))

const folder = join(import.meta.dirname, '../../data/pii-cases')

export function readCases(name: string): LabelledText[] {
  const lines = readFileSync(join(folder, `${name}.txt`), 'utf8').split('\n')
  return lines.filter(line => line !== '').map(readCase)
}

function readCase(line: string): LabelledText {
  const [marked = '', open = ''] = line.split(' ;; ')
  const spans: Span[] = []
  let text = ''
  for (const piece of marked
    .replaceAll('\\n', '\n')
    .replaceAll('\\t', '\t')
    .split(/(\[\[[A-Z_]+\|.*?\]\])/)) {
    const found = /^\[\[([A-Z_]+)\|(.*)\]\]$/s.exec(piece)
    const value = found?.[2] ?? piece
    if (found !== null)
      spans.push({ start: text.length, end: text.length + value.length, type: found[1] as EntityType })
    text += value
  }
  const isOpen = new Set(open.split(' '))
  return { text, spans, types: entityTypes.filter(type => !isOpen.has(type)) }
}

export interface Score {
  precision: number
  recall: number
  f1: number
  count: number
  faults: string[]
}

/** By type, over all texts that are labelled for it. */
export async function scoreTexts(
  texts: readonly LabelledText[],
  types: readonly EntityType[],
): Promise<Map<EntityType, Score>> {
  const tallies = new Map(
    types.map(type => [type, { found: 0, missed: 0, right: 0, wrong: 0, faults: [] as string[] }]),
  )
  const wanted = new Set(types)
  for (const labelled of texts) {
    const finds = await findEntities(labelled.text, wanted, createWorkBudget(1e9))
    for (const type of types) {
      const tally = tallies.get(type)
      if (tally === undefined || !labelled.types.includes(type)) continue
      const values = labelled.spans.filter(span => span.type === type)
      const own = finds.filter(find => find.type === type)
      const isOpen = labelled.recall_only === true || labelled.recall_only_types?.includes(type)
      for (const value of values) {
        const isFound = covered(value, own) >= 0.7
        tally[isFound ? 'found' : 'missed']++
        if (!isFound) tally.faults.push(`missed ${labelled.text.slice(value.start, value.end)} in ${labelled.text}`)
      }
      for (const find of own) {
        const isRight = covered(find, values) >= 0.5
        const isIgnored = (labelled.ignore ?? []).some(zone => zone.start < find.end && find.start < zone.end)
        if (isRight) tally.right++
        else if (!isIgnored && !isOpen) {
          tally.wrong++
          tally.faults.push(`wrong ${labelled.text.slice(find.start, find.end)} in ${labelled.text}`)
        }
      }
    }
  }
  return new Map(
    [...tallies].map(([type, { found, missed, right, wrong, faults }]) => {
      const precision = right / Math.max(1, right + wrong)
      const recall = found / Math.max(1, found + missed)
      const f1 = (2 * precision * recall) / Math.max(1e-9, precision + recall)
      return [type, { precision, recall, f1, count: found + missed, faults }]
    }),
  )
}

function covered(span: { start: number; end: number }, by: readonly { start: number; end: number }[]): number {
  let count = 0
  for (let at = span.start; at < span.end; at++) if (by.some(other => at >= other.start && at < other.end)) count++
  return count / Math.max(1, span.end - span.start)
}
