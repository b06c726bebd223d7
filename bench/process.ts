// Starts programs pinned to a core, and reads their cost from the kernel.
import { readFileSync } from 'node:fs'
import { type ServerProcess, startProcess } from '../server/test/support/server-process.ts'

/** For the product and everything that it is compared with. Load, upstream, database and Redis use the other core. */
export const measuredCore = 0
export const loadCore = 1

const tickMicros = 10_000

interface PinnedOptions {
  core: number
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
    args: ['-c', redirect, errorFile ?? 'sh', 'taskset', '-c', String(core), command, ...args],
    env: { PATH: process.env['PATH'], ...env },
    ...(cwd === undefined ? {} : { cwd }),
  })
}

/**
 * Microseconds of processor time that a process and its living children have used, in whole ticks of ten milliseconds.
 */
export function readCpuMicros(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, id) => sum + readTimes(id).own, 0)
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
  return [pid, ...childrenOf(pid)].reduce((sum, id) => {
    const pages = Number(readFileSync(`/proc/${id}/statm`, 'utf8').split(' ')[1])
    return sum + (pages * 4096) / 1_048_576
  }, 0)
}

/** Microseconds for which both cores together were busy since the machine started. */
export function readBusyMicros(): number {
  const lines = readFileSync('/proc/stat', 'utf8').split('\n')
  return [measuredCore, loadCore].reduce((sum, core) => {
    const fields = lines.find(line => line.startsWith(`cpu${core} `))?.split(/\s+/) ?? []
    const [, user, nice, system, , , irq, softirq, steal] = fields.map(Number)
    return (
      sum + [user, nice, system, irq, softirq, steal].reduce<number>((all, one) => all + (one ?? 0), 0) * tickMicros
    )
  }, 0)
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
}

function readTimes(pid: number): { own: number; ended: number; user: number; system: number } {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name in brackets may contain spaces; after it utime and stime are the 12th and 13th field, then those of
  // children.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [utime, stime, cutime, cstime] = fields.slice(11, 15).map(Number)
  const [user, system] = [(utime ?? 0) * tickMicros, (stime ?? 0) * tickMicros]
  return { own: user + system, ended: ((cutime ?? 0) + (cstime ?? 0)) * tickMicros, user, system }
}
