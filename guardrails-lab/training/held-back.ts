// Cross-validation: splits the labelled texts by template into parts, and measures each part with weights that were
// trained on the others. Texts that must not be trained on belong to the first part. Also chooses the cuts.

import { createTagger, type Tagger } from '../../server/src/guardrails/pii/tagger/tagger.ts'
import type { Weights } from '../../server/src/guardrails/pii/tagger/weights-file.ts'
import { type LabelledRow, mayTrainOn } from './labelled-rows.ts'
import { countRow, createTally, scores, type Tally } from './measure.ts'

type NameType = 'PERSON' | 'LOCATION'
const nameTypes: NameType[] = ['PERSON', 'LOCATION']

export interface Part {
  measured: LabelledRow[]
  trained: LabelledRow[]
}

export function partRows(rows: LabelledRow[], count: number): Part[] {
  return Array.from({ length: count }, (_, part) => ({
    measured: rows.filter(row => (mayTrainOn(row.source) ? partOf(row, count) : 0) === part),
    trained: rows.filter(row => mayTrainOn(row.source) && partOf(row, count) !== part),
  }))
}

function partOf(row: LabelledRow, count: number): number {
  let hash = 0
  for (const character of row.group) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0
  return (hash >>> 0) % count
}

export interface Trial {
  weights: Weights
  measured: LabelledRow[]
}

/** Sums over all trials, by type and source (or `all`). */
export function measureTrials(trials: Trial[], cuts: [number, number]): Map<string, Tally> {
  const tallies = new Map<string, Tally>()
  for (const { weights, measured } of trials) {
    const tagger = createTagger({ ...weights, cuts })
    for (const row of measured) countFinds(row, tagger, tallies)
  }
  return tallies
}

function countFinds(row: LabelledRow, tagger: Tagger, tallies: Map<string, Tally>): void {
  const finds = tagger.tag(row.text).filter(find => find.score >= 0.7)
  for (const type of nameTypes) {
    const ofType = finds.filter(find => find.type === type)
    for (const name of [`${type} all`, `${type} ${row.source}`]) {
      const tally = tallies.get(name) ?? createTally()
      tallies.set(name, tally)
      countRow(row, type, ofType, tally)
    }
  }
}

const precisionFloors: Record<NameType, number> = { PERSON: 0.875, LOCATION: 0.86 }
const candidates = [0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7]

/** F1 is nearly flat around its maximum. Within this distance of it, the highest cut has the fewest false positives. */
const nearBest = 0.004

/** For people and for places: the cut with about the best F1 among those whose precision is at least the floor. */
export function chooseCuts(trials: Trial[]): [number, number] {
  const tried = candidates.map(cut => ({ cut, tallies: measureTrials(trials, [cut, cut]) }))
  const [people, places] = nameTypes.map(type => {
    const all = tried.map(({ cut, tallies }) => ({ cut, ...scores(tallies.get(`${type} all`) ?? createTally()) }))
    const good = all.filter(({ precision }) => precision >= precisionFloors[type])
    const open = good.length > 0 ? good : all
    const best = Math.max(...open.map(({ f1 }) => f1))
    return open.findLast(({ f1 }) => f1 >= best - nearBest)?.cut
  })
  return [people ?? 0.5, places ?? 0.5]
}

/** Matches per 10 KB and type in texts with hardly any names. */
export function countOnPrompts(trials: Trial[], prompts: string[], cuts: [number, number]): Record<NameType, number> {
  const found: Record<NameType, number> = { PERSON: 0, LOCATION: 0 }
  for (const { weights } of trials) {
    const tagger = createTagger({ ...weights, cuts })
    for (const prompt of prompts) {
      for (const find of tagger.tag(prompt)) {
        for (const type of nameTypes) if (find.type === type && find.score >= 0.7) found[type]++
      }
    }
  }
  const bytes = prompts.reduce((sum, prompt) => sum + Buffer.byteLength(prompt), 0) * trials.length
  return { PERSON: (found.PERSON * 10_240) / bytes, LOCATION: (found.LOCATION * 10_240) / bytes }
}
