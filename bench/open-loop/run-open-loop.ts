// Runs one open loop against one target: requests leave on schedule, and each latency counts from the scheduled
// departure. A response other than 2xx, a broken connection or a missing response fails the run.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBinary } from '../../server/test/support/programs/find-binary.ts'
import { observe, runLoad, type Scene } from '../load.ts'
import type { Target } from '../target.ts'
import { percentile, type Recorded, readRecorded } from './percentiles.ts'
import type { Schedule } from './schedule.ts'

export interface OpenLoop {
  schedule: Schedule
  /** So many requests are in flight at most; the next ones wait in line. */
  connections: number
  /** `fresh`: a new connection for each request. */
  connecting: 'kept' | 'fresh'
}

export interface OpenRound {
  p50Ms: number
  p99Ms: number
  p999Ms: number
  longestMs: number
  /** How late the load program itself sent: a figure about the measurement, not about the target. */
  lateP99Ms: number
  lateLongestMs: number
  /** For so many requests no connection was free when they were due. */
  waited: number
  cpuMicros: number
  corePercent: number
  foreignPercent: number
  residentMegabytes: number
}

interface Printed {
  requests: number
  refused: number
  broken: number
  unanswered: number
  waited: number
}

export function compileOpenLoad(cacheFolder: string): string {
  const compiler = findBinary('cc', 'gcc')
  if (compiler === null) throw new Error('no C compiler: the load program cannot be made')
  mkdirSync(cacheFolder, { recursive: true })
  const program = join(cacheFolder, 'open-load')
  execFileSync(compiler, ['-O2', '-Wall', '-Wextra', '-o', program, join(import.meta.dirname, 'open-load.c')])
  return program
}

export async function runOpenLoop(scene: Scene, target: Target, program: string, loop: OpenLoop): Promise<OpenRound> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
  try {
    const { result, cost } = await observe(scene, target, () => runProgram(scene, target, program, loop, folder))
    const { printed, recorded } = result
    const faults = [
      `${printed.refused} answers other than 2xx`,
      `${printed.broken} broken connections`,
      `${printed.unanswered} requests without an answer`,
    ]
    if (printed.refused + printed.broken + printed.unanswered > 0) {
      throw new Error(`${target.name}: ${faults.join(', ')} among ${printed.requests}`)
    }
    return {
      ...summariseRecorded(recorded),
      waited: printed.waited,
      cpuMicros: cost.targetMicros / printed.requests,
      corePercent: cost.corePercent,
      foreignPercent: cost.foreignPercent,
      residentMegabytes: cost.residentMegabytes,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export function summariseRecorded({ latencies, delays }: Recorded) {
  const ms = (sorted: Uint32Array, thousandths: number) => percentile(sorted, thousandths) / 1000
  return {
    p50Ms: ms(latencies, 500),
    p99Ms: ms(latencies, 990),
    p999Ms: ms(latencies, 999),
    longestMs: ms(latencies, 1000),
    lateP99Ms: ms(delays, 990),
    lateLongestMs: ms(delays, 1000),
  }
}

async function runProgram(
  { loads }: Scene,
  target: Target,
  program: string,
  { schedule, connections, connecting }: OpenLoop,
  folder: string,
): Promise<{ printed: Printed; recorded: Recorded }> {
  const [scheduleFile, recordsFile] = [join(folder, 'schedule'), join(folder, 'records')]
  writeFileSync(scheduleFile, new Uint8Array(schedule.departures.buffer))
  const { path, bodies } = loads[target.endpoint]
  const printed = await runLoad<Printed>(target, {
    command: program,
    args: [String(target.port), String(connections), scheduleFile, recordsFile, connecting],
    path,
    body: bodies.short,
  })
  return { printed, recorded: readRecorded(readFileSync(recordsFile), schedule.warmCount) }
}
