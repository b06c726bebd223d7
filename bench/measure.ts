// Measures targets in turn: warms them, waits until all are idle, repeats rounds that other programs disturbed.
import { waitUntilIdle } from './idle.ts'
import { type Mode, runRound, type Scene } from './load.ts'
import { type Measured, median } from './report.ts'
import { aloneName, isProduct, type Target } from './target.ts'

export interface Effort {
  rounds: number
  seconds: number
  /** How often a round is repeated that other programs disturbed. */
  retries: number
  /** Programs on a just-in-time compiler need so many requests to reach their final speed; slow ones get a time. */
  warmUpRequests: number
  warmUpSeconds: number
}

export interface Run {
  scene: Scene
  targets: Target[]
  effort: Effort
  progress: (line: string) => void
  /** Reports what could not be measured, or not as it should be. */
  note: (line: string) => void
}

const disturbedPercent = 15

export async function measureMode(run: Run, mode: Mode, isFirst: boolean): Promise<Measured[]> {
  const { effort } = run
  const able = await warmAll(run, mode, isFirst)
  // A stream lasts a second: shorter rounds would mostly measure beginnings.
  const seconds = mode.kind === 'short' ? effort.seconds : Math.max(effort.seconds, 3)
  const rounds = await takeTurns(run, able, mode.name, target => runRound(run.scene, target, mode, seconds))
  return [...rounds].map(([target, ofTarget]) => ({ target: target.name, mode, rounds: ofTarget }))
}

/** All rounds of the targets that could be measured, in alternating order, so that a drift affects all alike. */
export async function takeTurns<Result extends { foreignPercent: number }>(
  run: Run,
  targets: readonly Target[],
  what: string,
  measure: (target: Target) => Promise<Result>,
  rounds = run.effort.rounds,
): Promise<Map<Target, Result[]>> {
  const results = new Map(targets.map(target => [target, [] as Result[]]))
  for (let round = 1; round <= rounds; round++) {
    for (const target of round % 2 === 1 ? targets : targets.toReversed()) {
      if (!results.has(target)) continue
      run.progress(`${what}: round ${round} of ${rounds}, ${target.name}`)
      const result = await tryTarget(run, target, what, () => runQuietRound(run, () => measure(target)))
      if (result === null) results.delete(target)
      else results.get(target)!.push(result)
    }
  }
  run.progress('')
  return results
}

/** Requests per second of each target, by a closed loop over 32 connections; targets that fail are left out. */
export async function measureCapacity(run: Run, rounds: number): Promise<Map<Target, number>> {
  const mode: Mode = { name: 'capacity', kind: 'short', connections: 32 }
  const warmed = await warmAll(run, mode, true)
  const seconds = Math.min(run.effort.seconds, 3)
  const measured = await takeTurns(run, warmed, mode.name, target => runRound(run.scene, target, mode, seconds), rounds)
  return new Map([...measured].map(([target, each]) => [target, median(each.map(round => round.requestsPerSecond))]))
}

/** Returns the targets that can be measured in this mode. */
async function warmAll(run: Run, mode: Mode, isFirst: boolean): Promise<Target[]> {
  const warmed: Target[] = []
  for (const target of run.targets.filter(each => mode.kind === 'short' || each.streams)) {
    run.progress(`${mode.name}: warming ${target.name}`)
    const isWarm = await tryTarget(run, target, mode.name, () => warmUp(run, target, mode, isFirst))
    if (isWarm !== null) warmed.push(target)
  }
  return warmed
}

async function warmUp({ scene, effort }: Run, target: Target, mode: Mode, isFirst: boolean): Promise<true> {
  const isCompiled = target.name === 'nginx' || target.name === 'HAProxy' || target.pid === null
  let left = isCompiled || !isFirst ? 0 : effort.warmUpRequests
  const end = performance.now() + effort.warmUpSeconds * 1000
  do {
    const { requestsPerSecond } = await runRound(scene, target, mode, 3)
    left -= requestsPerSecond * 3
  } while (left > 0 && performance.now() < end)
  return true
}

/** On a shared machine, a round that other processes disturbed is repeated, and the calmest of its attempts counts. */
async function runQuietRound<Result extends { foreignPercent: number }>(
  run: Run,
  measure: () => Promise<Result>,
): Promise<Result> {
  const tries: Result[] = []
  do {
    await settle(run)
    tries.push(await measure())
  } while (tries.at(-1)!.foreignPercent > disturbedPercent && tries.length <= run.effort.retries)
  return tries.toSorted((a, b) => a.foreignPercent - b.foreignPercent)[0]!
}

async function settle({ scene, targets, note }: Run): Promise<void> {
  for (const pid of await waitUntilIdle(scene.pids)) {
    const name = targets.find(target => target.pid === pid)?.name ?? `process ${pid}`
    note(`${name} still used processor time a minute after its last round`)
  }
}

/** Returns null after a failure of a reference, which is noted. The product and the upstream must not fail. */
async function tryTarget<Result>(
  { note }: Run,
  target: Target,
  what: string,
  action: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await action()
  } catch (error) {
    if (isProduct(target) || target.name === aloneName) throw error
    note(`${target.name}, ${what}: ${String(error).split('\n')[0]}`)
    return null
  }
}
