// Measures each target's capacity with a closed loop, then its latencies at fixed rates with an open loop.
import { cpus } from 'node:os'
import { measureCapacity, type Run, takeTurns } from '../measure.ts'
import { type Goal, median, renderGoals, renderTable } from '../report.ts'
import { aloneName, type Target } from '../target.ts'
import { compileOpenLoad, type OpenRound, runOpenLoop } from './run-open-loop.ts'
import { paceEvenly, type Rate, resolveRate } from './schedule.ts'

const connections = 256
const capacityRounds = 3
const warmSeconds = 2
/** Beyond this, the latencies would be those of the load program. */
const maxLateMs = 1

interface AtRate {
  rate: Rate
  target: string
  capacityPerSecond: number
  ratePerSecond: number
  rounds: OpenRound[]
}

export async function measureRates(run: Run, rates: readonly Rate[], cacheFolder: string, say: (line: string) => void) {
  const program = compileOpenLoad(cacheFolder)
  const capacities = await measureCapacity(run, capacityRounds)
  const measured: AtRate[] = []
  for (const rate of rates) {
    const ofRate = await measureRate(run, rate, capacities, program)
    if (ofRate.length === 0) continue
    say(`\n${renderRate(rate, ofRate)}\n`)
    measured.push(...ofRate)
  }
  const goals = judgeLateness(measured)
  say(renderGoals(goals))
  const { rounds, seconds } = run.effort
  return {
    method: [
      `Open loop over ${connections} connections: medians of ${rounds} alternating rounds of ${seconds} s, each after`,
      `${warmSeconds} s of warming at the same rate; the longest of all rounds. Latencies count from the scheduled`,
      `departure. Capacity: closed loop, medians of ${capacityRounds} rounds. ${cpus().length} cores.`,
    ].join(' '),
    tables: [...Map.groupBy(measured, each => each.rate)].map(([rate, ofRate]) => renderRate(rate, ofRate)),
    goals,
    foreignPercent: median(measured.flatMap(each => each.rounds.map(round => round.foreignPercent))),
    data: { measured },
  }
}

async function measureRate(
  run: Run,
  rate: Rate,
  capacities: ReadonlyMap<Target, number>,
  program: string,
): Promise<AtRate[]> {
  const paces = new Map<Target, number>()
  for (const [target, capacity] of capacities) {
    const pace = resolveRate(rate, capacity)
    if (pace === null) run.note(`${target.name} at ${rate} requests/s: its capacity is ${Math.round(capacity)}`)
    else paces.set(target, pace)
  }
  const rounds = await takeTurns(run, [...paces.keys()], nameRate(rate), target => {
    const ratePerSecond = paces.get(target)!
    const schedule = paceEvenly({ ratePerSecond, warmSeconds, seconds: run.effort.seconds })
    return runOpenLoop(run.scene, target, program, { schedule, connections, connecting: 'kept' })
  })
  return [...rounds].map(([target, ofTarget]) => ({
    rate,
    target: target.name,
    capacityPerSecond: capacities.get(target)!,
    ratePerSecond: paces.get(target)!,
    rounds: ofTarget,
  }))
}

function nameRate(rate: Rate): string {
  return typeof rate === 'number' ? `${rate} requests/s` : `a ${rate} of its own capacity`
}

function renderRate(rate: Rate, measured: readonly AtRate[]): string {
  const head = ['capacity/s', 'rate/s', 'p50 ms', 'p99 ms', 'p99.9 ms', 'longest ms', 'CPU µs/req', 'core %', 'RSS MB']
  const cells = measured.map(each => {
    const of = (name: keyof OpenRound) => median(each.rounds.map(round => round[name]))
    const most = (name: keyof OpenRound) => Math.max(...each.rounds.map(round => round[name]))
    return [
      each.target,
      each.capacityPerSecond.toFixed(0),
      each.ratePerSecond.toFixed(0),
      of('p50Ms').toFixed(2),
      of('p99Ms').toFixed(2),
      of('p999Ms').toFixed(2),
      most('longestMs').toFixed(1),
      of('cpuMicros').toFixed(1),
      of('corePercent').toFixed(0),
      of('residentMegabytes').toFixed(0),
      most('waited').toFixed(0),
      of('lateP99Ms').toFixed(3),
      most('lateLongestMs').toFixed(2),
    ]
  })
  const about = ['waited', 'sent late, p99 ms', 'longest']
  return renderTable(nameRate(rate), [...head, ...about], cells)
}

/** The load program sends its fastest schedule to the upstream alone: nothing else can make it late there. */
export function judgeLateness(
  measured: readonly Pick<AtRate, 'rate' | 'target' | 'ratePerSecond' | 'rounds'>[],
): Goal[] {
  return measured
    .filter(({ target }) => target === aloneName)
    .map(({ rate, ratePerSecond, rounds }) => {
      const reached = median(rounds.map(round => round.lateP99Ms))
      return {
        words: `${nameRate(rate)}, ${aloneName}, ${ratePerSecond}/s: the load program sent late, p99 in ms`,
        reached,
        wanted: `≤ ${maxLateMs}`,
        met: reached <= maxLateMs,
        isBinding: false,
      }
    })
}
