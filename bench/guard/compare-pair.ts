// Loads the base, the working tree and the bare proxy at the same time on one core, and compares the processor time of
// a request. Whatever else the machine does then slows all of them alike.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Mode, runWrk, type Scene } from '../load.ts'
import { readExactCpuMicros } from '../process.ts'
import { median } from '../report.ts'
import type { Target } from '../target.ts'

const sides = ['base', 'head', 'bare'] as const
type Side = (typeof sides)[number]
export type Compared = Readonly<Record<Side, Target>>
/** Microseconds of processor time of a request or, for streams, of a KB. */
export type Costs = Readonly<Record<Side, number>>

export interface Comparison extends Costs {
  name: string
  /** The head's cost divided by the base's: the median of all samples. */
  ratio: number
}

const roundSeconds = 4
/** After a round, rows that wait are written within this time. */
const afterMs = 300

/** Loads all of them until each has answered so many requests, or sent so many KB of streams. */
export async function takeSample(
  scene: Pick<Scene, 'loads'>,
  compared: Compared,
  mode: Mode,
  amount: number,
): Promise<Costs> {
  const sums = { base: { micros: 0, amount: 0 }, head: { micros: 0, amount: 0 }, bare: { micros: 0, amount: 0 } }
  while (sides.some(side => sums[side].amount < amount)) {
    const before = sides.map(side => readExactCpuMicros(compared[side].pid!))
    const results = await Promise.all(sides.map(side => runWrk(scene, compared[side], mode, roundSeconds)))
    await sleep(afterMs)
    for (const [at, side] of sides.entries()) {
      const { requests, bytes } = results[at]!
      sums[side].micros += readExactCpuMicros(compared[side].pid!) - before[at]!
      sums[side].amount += mode.kind === 'short' ? requests : bytes / 1024
    }
  }
  const costOf = (side: Side) => sums[side].micros / sums[side].amount
  return { base: costOf('base'), head: costOf('head'), bare: costOf('bare') }
}

export function summarise(name: string, samples: readonly Costs[]): Comparison {
  return {
    name,
    base: median(samples.map(({ base }) => base)),
    head: median(samples.map(({ head }) => head)),
    bare: median(samples.map(({ bare }) => bare)),
    ratio: median(samples.map(({ base, head }) => head / base)),
  }
}
