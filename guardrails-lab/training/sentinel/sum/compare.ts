// Compares readers by what they detect when a given share of the harmless texts is blocked. The cut is always that of
// authors that the readers were trained without.

import type { LabelledViews } from '../training-texts.ts'
import { cutAt, fitSum, type LabelledReading, type Reading } from './fit-sum.ts'
import { type Material, type ReadText, trainReader } from './read-all.ts'

/** A text's scores by each reader and by the sum. */
export interface Scored {
  isAttack: boolean
  scores: Readonly<Record<Method, number>>
}

export interface Results {
  /** Authors' texts, each by readers and a sum without it. */
  crossValidated: readonly Scored[]
  unseen: readonly Scored[]
}

const methods = ['whole', 'window', 'phrases', 'sum'] as const
type Method = (typeof methods)[number]

const shares = [0.01, 0.02, 0.03, 0.05] as const
const weightOfPiece = 0.4

interface Folded {
  fold: number
}

export interface FoldedMaterial extends Material {
  disguised: readonly (LabelledViews & Folded)[]
  files: { whole: readonly (ReadText & Folded)[]; window: readonly (ReadText & Folded)[] }
}

interface Row extends LabelledReading, Folded {
  author: string | null
}

export function crossValidate(material: FoldedMaterial, unseen: readonly ReadText[], foldCount: number): Results {
  const rows: Row[] = []
  for (let fold = 0; fold < foldCount; fold++) {
    const read = trainReader(withoutFold(material, fold))
    const add = (texts: readonly (ReadText & Folded)[], weight: number, authorOf: (at: number) => string | null) => {
      for (const [at, reading] of read(texts).entries()) {
        rows.push({ ...reading, isAttack: texts[at]!.isAttack, weight, fold, author: authorOf(at) })
      }
    }
    const own = material.labelled.filter(text => text.fold === fold)
    add(own, 1, at => own[at]!.record.author)
    const pieces = material.files.whole.filter(text => text.fold === fold)
    add(pieces, weightOfPiece, () => null)
  }
  const crossValidated: Scored[] = []
  for (let fold = 0; fold < foldCount; fold++) {
    const sum = fitSum(rows.filter(row => row.fold !== fold))
    const own = rows.filter(row => row.fold === fold && row.author !== null)
    crossValidated.push(...own.map(row => ({ isAttack: row.isAttack, scores: scoresOf(row, sum) })))
  }
  const sum = fitSum(rows)
  const readings = trainReader(material)(unseen)
  return {
    crossValidated,
    unseen: readings.map((reading, at) => ({ isAttack: unseen[at]!.isAttack, scores: scoresOf(reading, sum) })),
  }
}

function withoutFold({ labelled, disguised, templates, files }: FoldedMaterial, fold: number): Material {
  const isOther = (text: Folded) => text.fold !== fold
  return {
    labelled: labelled.filter(isOther),
    disguised: disguised.filter(isOther),
    templates,
    files: { whole: files.whole.filter(isOther), window: files.window.filter(isOther) },
  }
}

function scoresOf(reading: Reading, sum: (reading: Reading) => number): Scored['scores'] {
  const best = (scores: Readonly<Record<string, number>>) => Math.max(...Object.values(scores))
  const { evidence, phrases } = reading
  return { whole: best(evidence.whole), window: best(evidence.window), phrases, sum: sum(reading) }
}

/** A line for each method and share: what is detected, and what is blocked of the harmless texts of unseen authors. */
export function showRecall({ crossValidated, unseen }: Results): string {
  const lines = ['method share | left-out authors: detected | unseen authors: detected, blocked']
  for (const method of methods) {
    for (const share of shares) {
      const scoresOf = (texts: readonly Scored[], isAttack: boolean) =>
        texts.filter(text => text.isAttack === isAttack).map(({ scores }) => scores[method])
      const cut = cutAt(scoresOf(crossValidated, false), share)
      const above = (scores: readonly number[]) =>
        (scores.filter(score => score > cut).length / scores.length).toFixed(4)
      lines.push(
        [
          method.padEnd(7),
          share,
          above(scoresOf(crossValidated, true)),
          above(scoresOf(unseen, true)),
          above(scoresOf(unseen, false)),
        ].join('  '),
      )
    }
  }
  return lines.join('\n')
}
