// Counts what is detected of authors' texts by weights that were trained without them, for a range of cuts.

import type { AttackRecord } from '../../evaluation/labelled-records.ts'

export interface LeftOutText {
  record: Pick<AttackRecord, 'author' | 'kind'>
  isShort: boolean
  /** How far it is above or below the cut of the default threshold. */
  margin: number
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
export function countLeftOut(texts: readonly LeftOutText[], shift = 0): LeftOutCounts {
  const counts: LeftOutCounts = { attacks: 0, attacksHit: 0, harmless: 0, harmlessHit: 0 }
  for (const { record, margin } of texts) {
    if (record.author === null) continue
    const hit = margin >= shift ? 1 : 0
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

/** A line for each shift of the cuts, then one for short and long texts and for each author at the cuts themselves. */
export function showLeftOut(texts: readonly LeftOutText[]): string {
  const byShift = shifts.map(shift => line(`cuts ${shift < 0 ? '' : '+'}${shift}`, countLeftOut(texts, shift)))
  const bySize = [true, false].map(isShort => {
    const own = texts.filter(text => text.isShort === isShort)
    return line(isShort ? 'short texts' : 'long texts', countLeftOut(own))
  })
  const byAuthor = [...Map.groupBy(texts, ({ record }) => record.author)]
    .filter(([author]) => author !== null)
    .sort(([a], [b]) => (a! < b! ? -1 : 1))
    .map(([author, own]) => line(`author ${author}`, countLeftOut(own)))
  return ['texts of authors that were left out of training', ...byShift, ...bySize, ...byAuthor].join('\n')
}

function line(name: string, { attacks, attacksHit, harmless, harmlessHit }: LeftOutCounts): string {
  const share = (hits: number, of: number) => `${of === 0 ? '-' : (hits / of).toFixed(3)} (${hits} of ${of})`
  return `${name.padEnd(16)} attacks ${share(attacksHit, attacks)}  harmless ${share(harmlessHit, harmless)}`
}
