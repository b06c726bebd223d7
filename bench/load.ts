// Runs one round of load against one target: wrk on a core of its own, while the target's processor time and memory are
// measured. A response other than 2xx or a broken connection fails the run.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EndpointLoad, EndpointName, LoadKind } from './endpoints.ts'
import {
  loadCore,
  readBusyMicros,
  readCpuMicros,
  readOwnCpuMicros,
  readResidentMegabytes,
  startPinned,
} from './process.ts'
import type { Target } from './target.ts'
import type { Upstream } from './upstream.ts'

export interface Mode {
  name: string
  kind: LoadKind
  connections: number
  /**
   * Before each round, `connections` streams begin at once and the wait for their heads is measured. Idle connections
   * to the upstream are closed before that, and again before the round.
   */
  measuresHeads?: true
  /** Each request has a connection of its own. */
  closesConnections?: true
  /** While the load runs, so many clients connect at once, and the wait from there to their answers is measured. */
  newcomers?: number
  /** Its table shows how many requests the upstream did not get. */
  showsHits?: true
}

export interface Scene {
  upstream: Upstream
  /** All processes that the bench has started and that still run. */
  pids: number[]
  /** Those of the targets and of the load. */
  cores: readonly number[]
  loads: Record<EndpointName, EndpointLoad>
}

export interface Round {
  requestsPerSecond: number
  chunksPerSecond: number
  p50Ms: number
  p99Ms: number
  /** The longest wait for a head among the streams that begin, or the clients that connect, at once; 0 without them. */
  worstHeadMs: number
  /** The target's processor time per request or, for streams, per chunk. */
  cpuMicros: number
  /** How much of its core the target used. */
  corePercent: number
  /** How much of the two cores other processes used. */
  foreignPercent: number
  residentMegabytes: number
  /** How many of a hundred answers did not come from the upstream; only of short ones. */
  hitPercent: number
}

/** How long a target may take to notice that its connections were closed. */
const noticeMs = 200

interface WrkResult {
  requests: number
  /** Of the responses, unfinished ones included. */
  bytes: number
  micros: number
  p50: number
  p99: number
  refused: number
  broken: number
}

export async function runRound(scene: Scene, target: Target, mode: Mode, seconds: number): Promise<Round> {
  const firstHeadMs = mode.measuresHeads === true ? await measureFirstHeads(scene, target, mode) : 0
  const { result, cost } = await observe(scene, target, async () => {
    const [load, newcomerMs] = await Promise.all([
      runWrk(scene, target, mode, seconds),
      measureNewcomers(scene, target, mode, seconds),
    ])
    return { ...load, newcomerMs }
  })
  if (result.requests === 0) throw new Error(`${target.name}, ${mode.name}: no answers`)
  return {
    requestsPerSecond: result.requests / (result.micros / 1e6),
    chunksPerSecond: cost.chunks / (cost.elapsedMicros / 1e6),
    p50Ms: result.p50 / 1000,
    p99Ms: result.p99 / 1000,
    worstHeadMs: Math.max(firstHeadMs, result.newcomerMs),
    cpuMicros: cost.targetMicros / (mode.kind === 'short' ? result.requests : cost.chunks),
    corePercent: cost.corePercent,
    foreignPercent: cost.foreignPercent,
    residentMegabytes: cost.residentMegabytes,
    // At the end some requests are at the upstream and not answered yet.
    hitPercent: Math.max(0, 100 * (1 - cost.requests / result.requests)),
  }
}

/** What a load cost while it ran. */
export interface Cost {
  elapsedMicros: number
  /** The target's processor time. */
  targetMicros: number
  corePercent: number
  foreignPercent: number
  residentMegabytes: number
  /** What the upstream received and sent meanwhile. */
  requests: number
  chunks: number
}

export async function observe<Result>(
  scene: Scene,
  target: Target,
  load: () => Promise<Result>,
): Promise<{ result: Result; cost: Cost }> {
  const before = await sample(scene, target)
  const result = await load()
  const after = await sample(scene, target)
  const elapsedMicros = after.at - before.at
  const targetMicros = after.target - before.target
  const foreignMicros = after.foreign - before.foreign
  const cost = {
    elapsedMicros,
    targetMicros,
    corePercent: (100 * targetMicros) / elapsedMicros,
    foreignPercent: Math.max(0, (100 * foreignMicros) / (scene.cores.length * elapsedMicros)),
    residentMegabytes: target.pid === null ? 0 : readResidentMegabytes(target.pid),
    requests: after.requests - before.requests,
    chunks: after.chunks - before.chunks,
  }
  return { result, cost }
}

async function sample({ upstream, pids, cores }: Scene, { pid }: Target) {
  const { requests, chunks } = await upstream.count()
  const ours = pids.reduce((sum, id) => sum + readCpuMicros(id), readOwnCpuMicros())
  return {
    requests,
    chunks,
    at: performance.now() * 1000,
    target: pid === null ? 0 : readCpuMicros(pid),
    foreign: readBusyMicros(cores) - ours,
  }
}

async function closeConnections({ upstream }: Scene): Promise<void> {
  await upstream.closeIdle()
  await sleep(noticeMs)
}

async function measureFirstHeads(scene: Scene, target: Target, mode: Mode): Promise<number> {
  await closeConnections(scene)
  const worstMs = await measureHeads(scene, target, mode, [String(mode.connections)])
  await closeConnections(scene)
  return worstMs
}

/** In the middle of the load. */
async function measureNewcomers(scene: Scene, target: Target, mode: Mode, seconds: number): Promise<number> {
  if (mode.newcomers === undefined) return 0
  await sleep(seconds * 500)
  return await measureHeads(scene, target, mode, [String(mode.newcomers), 'connecting'])
}

async function measureHeads({ loads }: Scene, target: Target, mode: Mode, args: string[]): Promise<number> {
  const { path, bodies } = loads[target.endpoint]
  const { refused, worstMs } = await runLoad<{ refused: number; worstMs: number }>(target, {
    command: process.execPath,
    args: [join(import.meta.dirname, 'heads.ts'), String(target.port), ...args],
    path,
    body: bodies[mode.kind],
  })
  if (refused > 0) throw new Error(`${target.name}, ${mode.name}: ${refused} requests were refused`)
  return worstMs
}

export async function runWrk(
  { loads }: Pick<Scene, 'loads'>,
  target: Target,
  mode: Mode,
  seconds: number,
): Promise<WrkResult> {
  const shape = ['-t1', `-c${mode.connections}`, `-d${seconds}s`, '--timeout', '20s']
  const { path, bodies } = loads[target.endpoint]
  const result = await runLoad<WrkResult>(target, {
    command: 'wrk',
    args: [...shape, '-s', join(import.meta.dirname, 'wrk.lua'), `http://127.0.0.1:${target.port}`],
    path,
    body: bodies[mode.kind],
    headers: mode.closesConnections === true ? ['Connection: close'] : [],
  })
  if (result.refused > 0 || result.broken > 0) {
    const faults = `${result.refused} answers other than 2xx, ${result.broken} broken connections`
    throw new Error(`${target.name}, ${mode.name}: ${faults} among ${result.requests} answers`)
  }
  return result
}

export interface LoadProgram {
  command: string
  args: string[]
  /** The endpoint's. */
  path: string
  /** The file of the request body. */
  body: string
  /** Besides the target's. */
  headers?: string[]
}

/** Runs a load program to its end; it prints its figures as JSON after the word RESULT. */
export async function runLoad<Result>(target: Target, load: LoadProgram): Promise<Result> {
  const { command, args, path, body, headers = [] } = load
  const program = await startPinned({
    core: loadCore,
    command,
    args,
    env: {
      BENCH_TOKENS: target.tokensFile,
      BENCH_PATH: path,
      BENCH_BODY: body,
      BENCH_HEADERS: [...target.headers, ...headers].join('\n'),
      BENCH_DISTINCT: String(target.distinctPercent ?? 0),
    },
  })
  await program.exitCode
  const found = /RESULT (\{.*\})/.exec(program.stdout())?.[1]
  if (found === undefined)
    throw new Error(`${command} failed on ${target.name}: ${program.stdout()}${program.stderr()}`)
  return JSON.parse(found) as Result
}
