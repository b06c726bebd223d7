// Measures on texts that training has not seen: the labelled texts are parted by template, and each part is tagged with
// weights that were trained without it. What may not be trained on is measured with the first of them. Chooses the cuts.

import { createTagger, type Tagger } from '../src/guardrails/pii/tagger/tagger.ts'
import type { Weights } from '../src/guardrails/pii/tagger/weights-file.ts'
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

/** The sums of all trials, by type and source, and `all`. */
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
const candidates = [0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6]

/** F1 hardly moves around its best; within this much of it the higher cut is taken, as it has fewer false finds. */
const nearBest = 0.004

/** The raw chances, for people and for places, with about the best F1 of those that keep the precision above its floor. */
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

/** Finds in texts that have hardly any names, by type, for each 10 KB. */
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
