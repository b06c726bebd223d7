// One round of load against one target: wrk on its core, and what the target used meanwhile.
// Any answer but 2xx and any broken connection is an error, never a figure.
import { join } from 'node:path'
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
  kind: 'short' | 'paced' | 'burst'
  connections: number
}

export interface Scene {
  upstream: Upstream
  /** Of everything that the bench started and that still runs. */
  pids: number[]
  /** The file with the request body of each kind. */
  bodies: Record<Mode['kind'], string>
}

export interface Round {
  requestsPerSecond: number
  chunksPerSecond: number
  p50Ms: number
  p99Ms: number
  /** Of the target, per request or, in the streams, per chunk. */
  cpuMicros: number
  /** How much of its core the target used. */
  corePercent: number
  /** How much of the two cores others used, who have nothing to do with the bench. */
  foreignPercent: number
  residentMegabytes: number
}

interface WrkResult {
  requests: number
  micros: number
  p50: number
  p99: number
  refused: number
  broken: number
}

export async function runRound(scene: Scene, target: Target, mode: Mode, seconds: number): Promise<Round> {
  const before = await sample(scene, target)
  const result = await runWrk(scene, target, mode, seconds)
  const after = await sample(scene, target)
  const chunks = after.chunks - before.chunks
  const elapsed = after.at - before.at
  const cpu = after.target - before.target
  return {
    requestsPerSecond: result.requests / (result.micros / 1e6),
    chunksPerSecond: chunks / (elapsed / 1e6),
    p50Ms: result.p50 / 1000,
    p99Ms: result.p99 / 1000,
    cpuMicros: cpu / (mode.kind === 'short' ? result.requests : chunks),
    corePercent: (100 * cpu) / elapsed,
    foreignPercent: Math.max(0, (100 * (after.foreign - before.foreign)) / (2 * elapsed)),
    residentMegabytes: target.pid === null ? 0 : readResidentMegabytes(target.pid),
  }
}

async function sample({ upstream, pids }: Scene, { pid }: Target) {
  const { chunks } = await upstream.count()
  const ours = pids.reduce((sum, id) => sum + readCpuMicros(id), readOwnCpuMicros())
  return {
    chunks,
    at: performance.now() * 1000,
    target: pid === null ? 0 : readCpuMicros(pid),
    foreign: readBusyMicros() - ours,
  }
}

async function runWrk({ bodies }: Scene, target: Target, mode: Mode, seconds: number): Promise<WrkResult> {
  const shape = ['-t1', `-c${mode.connections}`, `-d${seconds}s`, '--timeout', '20s']
  const wrk = await startPinned({
    core: loadCore,
    command: 'wrk',
    args: [...shape, '-s', join(import.meta.dirname, 'wrk.lua'), `http://127.0.0.1:${target.port}`],
    env: {
      BENCH_TOKENS: target.tokensFile,
      BENCH_BODY: bodies[mode.kind],
      BENCH_HEADERS: target.headers.join('\n'),
    },
  })
  await wrk.exitCode
  const found = /RESULT (\{.*\})/.exec(wrk.stdout())?.[1]
  if (found === undefined) throw new Error(`wrk failed on ${target.name}: ${wrk.stdout()}${wrk.stderr()}`)
  const result = JSON.parse(found) as WrkResult
  if (result.refused > 0 || result.broken > 0 || result.requests === 0) {
    const faults = `${result.refused} answers other than 2xx, ${result.broken} broken connections`
    throw new Error(`${target.name}, ${mode.name}: ${faults} among ${result.requests} answers`)
  }
  return result
}
