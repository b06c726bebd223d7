// Counts what is detected of authors' texts by weights that were trained without them, for a range of cuts.

import type { Cuts, SizeCuts } from '../../../server/src/guardrails/sentinel/model/model-weights.ts'
import type { AttackRecord } from '../../evaluation/labelled-records.ts'
import { type Evidence, isHit } from './calibrate.ts'

export interface LeftOutText {
  record: Pick<AttackRecord, 'author' | 'kind'>
  isShort: boolean
  evidence: Evidence
}

export interface LeftOutCounts {
  attacks: number
  attacksHit: number
  harmless: number
  harmlessHit: number
}

/** Added to all cuts: below zero more attacks and more harmless texts are hits. */
const shifts = [-1, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1, 1.5, 2] as const

/** Ignores texts without an author: their sources are split between training and measuring. */
export function countLeftOut(texts: readonly LeftOutText[], cuts: Readonly<SizeCuts>, shift = 0): LeftOutCounts {
  const { short, long } = cuts
  const shifted: SizeCuts = {
    short: { whole: shiftCuts(short.whole, shift), window: shiftCuts(short.window, shift) },
    long: { window: shiftCuts(long.window, shift) },
  }
  const counts: LeftOutCounts = { attacks: 0, attacksHit: 0, harmless: 0, harmlessHit: 0 }
  for (const { record, isShort, evidence } of texts) {
    if (record.author === null) continue
    const hit = isHit(evidence, shifted[isShort ? 'short' : 'long']) ? 1 : 0
    if (record.kind === 'attack') {
      counts.attacks += 1
      counts.attacksHit += hit
    } else {
      counts.harmless += 1
      counts.harmlessHit += hit
    }
  }
  return counts
}

function shiftCuts(cuts: Cuts, shift: number): Cuts {
  return {
    none: cuts.none + shift,
    vague: cuts.vague + shift,
    usual: cuts.usual + shift,
    firm: cuts.firm + shift,
  }
}

/** A line for each shift of the cuts, then one for short and long texts and for each author at the cuts themselves. */
export function showLeftOut(texts: readonly LeftOutText[], cuts: Readonly<SizeCuts>): string {
  const byShift = shifts.map(shift => line(`cuts ${shift < 0 ? '' : '+'}${shift}`, countLeftOut(texts, cuts, shift)))
  const bySize = [true, false].map(isShort => {
    const own = texts.filter(text => text.isShort === isShort)
    return line(isShort ? 'short texts' : 'long texts', countLeftOut(own, cuts))
  })
  const byAuthor = [...Map.groupBy(texts, ({ record }) => record.author)]
    .filter(([author]) => author !== null)
    .sort(([a], [b]) => (a! < b! ? -1 : 1))
    .map(([author, own]) => line(`author ${author}`, countLeftOut(own, cuts)))
  return ['texts of authors that were left out of training', ...byShift, ...bySize, ...byAuthor].join('\n')
}

function line(name: string, { attacks, attacksHit, harmless, harmlessHit }: LeftOutCounts): string {
  const share = (hits: number, of: number) => `${of === 0 ? '-' : (hits / of).toFixed(3)} (${hits} of ${of})`
  return `${name.padEnd(16)} attacks ${share(attacksHit, attacks)}  harmless ${share(harmlessHit, harmless)}`
}
