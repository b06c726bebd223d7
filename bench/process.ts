// Starts programs pinned to cores, and reads their cost from the kernel.
import { readdirSync, readFileSync } from 'node:fs'
import { type ServerProcess, startProcess } from '../server/test/support/server-process.ts'

/** For the product and everything that it is compared with. Load, upstream, database and Redis use the other core. */
export const measuredCore = 0
export const loadCore = 1

/** The kernel counts processor time in these steps. */
export const tickMicros = 10_000

/**
 * The cores of a product that runs in several processes: one each if the load keeps a core of its own, else one for
 * all, and then only its processor time is comparable.
 */
export function measuredCoresFor(processes: number, coreCount: number): number[] {
  if (coreCount <= processes) return [measuredCore]
  return Array.from({ length: processes }, (_, at) => (at < loadCore ? at : at + 1))
}

interface PinnedOptions {
  /** One, or several that the program's threads and processes share. */
  core: number | readonly number[]
  command: string
  args: string[]
  env?: Record<string, string>
  cwd?: string
  /** The file for standard error. By default it is kept in memory, which is too much if a program logs each request. */
  errorFile?: string
}

export function startPinned({ core, command, args, env, cwd, errorFile }: PinnedOptions): Promise<ServerProcess> {
  const redirect = errorFile === undefined ? 'exec "$@"' : 'exec "$@" 2>>"$0"'
  return startProcess({
    command: 'sh',
    args: ['-c', redirect, errorFile ?? 'sh', 'taskset', '-c', [core].flat().join(','), command, ...args],
    env: { PATH: process.env['PATH'], ...env },
    ...(cwd === undefined ? {} : { cwd }),
  })
}

/**
 * Microseconds of processor time that a process and all of its descendants have used, ended ones included, in whole
 * ticks.
 */
export function readCpuMicros(pid: number): number {
  return readTree(pid).reduce((sum, id) => sum + readTimes(id).own + readTimes(id).ended, 0)
}

/** The same for threads that run, to the nanosecond. */
export function readExactCpuMicros(pid: number): number {
  const threads = readTree(pid).flatMap(id => readFolder(`${id}/task`).map(thread => `${id}/task/${thread}`))
  return threads.reduce((sum, thread) => sum + Number(readProc(`${thread}/schedstat`).split(' ')[0]) / 1000, 0)
}

/** The same for one process without its children: its own code and the kernel's separately. */
export function readCpuTimes(pid: number): { user: number; system: number } {
  const { user, system } = readTimes(pid)
  return { user, system }
}

/** The processor time of this process and of all children that have ended, including the load generator. */
export function readOwnCpuMicros(): number {
  const { own, ended } = readTimes(process.pid)
  return own + ended
}

export function readResidentMegabytes(pid: number): number {
  return readTree(pid).reduce((sum, id) => {
    const pages = Number(readProc(`${id}/statm`).split(' ')[1] ?? 0)
    return sum + (pages * 4096) / 1_048_576
  }, 0)
}

/** Microseconds for which these cores together were busy since the machine started. */
export function readBusyMicros(cores: readonly number[]): number {
  const lines = readFileSync('/proc/stat', 'utf8').split('\n')
  return cores.reduce((sum, core) => {
    const fields = lines.find(line => line.startsWith(`cpu${core} `))?.split(/\s+/) ?? []
    const [, user, nice, system, , , irq, softirq, steal] = fields.map(Number)
    return (
      sum + [user, nice, system, irq, softirq, steal].reduce<number>((all, one) => all + (one ?? 0), 0) * tickMicros
    )
  }, 0)
}

/** The process and its living descendants. */
export function readTree(pid: number): number[] {
  const threads = readFolder(`${pid}/task`)
  const children = threads.flatMap(thread => readProc(`${pid}/task/${thread}/children`).split(' ').filter(Boolean))
  return [pid, ...children.flatMap(child => readTree(Number(child)))]
}

function readTimes(pid: number): { own: number; ended: number; user: number; system: number } {
  const text = readProc(`${pid}/stat`)
  // The name in brackets may contain spaces; after it utime and stime are the 12th and 13th field, then those of
  // children.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [utime, stime, cutime, cstime] = fields.slice(11, 15).map(Number)
  const [user, system] = [(utime ?? 0) * tickMicros, (stime ?? 0) * tickMicros]
  return { own: user + system, ended: ((cutime ?? 0) + (cstime ?? 0)) * tickMicros, user, system }
}

/** Returns an empty text for a process or thread that has ended: the kernel adds its time to its parent's. */
function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch (error) {
    if (hasEnded(error)) return ''
    throw error
  }
}

function readFolder(path: string): string[] {
  try {
    return readdirSync(`/proc/${path}`)
  } catch (error) {
    if (hasEnded(error)) return []
    throw error
  }
}

function hasEnded(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code
  return code === 'ENOENT' || code === 'ESRCH'
}
