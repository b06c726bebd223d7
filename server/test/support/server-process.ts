// Starts a server as a child process, waits until it is ready, collects its output and ends it by its pid.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { setPriority } from 'node:os'

export interface ServerCommand {
  command: string
  args: string[]
  /** The name under which the program is started, if its behaviour depends on it. */
  argv0?: string
  cwd?: string
  env?: NodeJS.ProcessEnv
  uid?: number
  gid?: number
  /** Starts a process group, whose processes all get the signals, as those of a shell get Ctrl+C. */
  asGroup?: boolean
  /** Runs it before other processes where this one may do that. */
  isPreferred?: boolean
}

export interface ServerProcess {
  pid: number
  stdout: () => string
  stderr: () => string
  /** Resolves when the process has ended, with its exit code (null if a signal ended it). */
  exitCode: Promise<number | null>
  isRunning: () => boolean
  /** Sends the signal and waits for the end; kills the process after the deadline. */
  end: (signal: NodeJS.Signals, deadlineMs?: number) => Promise<number | null>
}

export async function startProcess(options: ServerCommand): Promise<ServerProcess> {
  const { command, args, asGroup = false, isPreferred = false, ...spawnOptions } = options
  const child = spawn(command, args, { ...spawnOptions, detached: asGroup, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = collectOutput(child)
  const exitCode = new Promise<number | null>(resolve => {
    child.once('close', code => resolve(code))
  })
  await once(child, 'spawn')
  const pid = child.pid
  if (pid === undefined) throw new Error(`${command} has no pid`)
  if (isPreferred) preferProcess(pid)
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null
  const kill = (signal: NodeJS.Signals): void => {
    if (!asGroup) child.kill(signal)
    else if (isRunning()) process.kill(-pid, signal)
  }
  killWithThisProcess(child, kill)
  return {
    pid,
    ...output,
    exitCode,
    isRunning,
    end: async (signal, deadlineMs = 60_000) => {
      if (!isRunning()) return exitCode
      kill(signal)
      const timer = setTimeout(() => kill('SIGKILL'), deadlineMs)
      try {
        return await exitCode
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

/** Needs a privilege that the owner of most machines does not have either, so its absence is no error. */
function preferProcess(pid: number): void {
  try {
    setPriority(pid, -10)
  } catch (error) {
    const { code } = (error as { info?: { code?: string } }).info ?? {}
    // ESRCH: the process has ended already, which the caller reports.
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'ESRCH') throw error
  }
}

type Kill = (signal: NodeJS.Signals) => void

const running = new Set<Kill>()
const folders = new Set<string>()
let isWatching = false

/** No process that a test started may outlive the test's process. */
export function killWithThisProcess(child: ChildProcess, kill: Kill): void {
  running.add(kill)
  child.once('close', () => running.delete(kill))
  watchThisProcess()
}

/** Deletes a folder, at the latest when the test's process ends; returns how to delete it earlier. */
export function deleteWithThisProcess(folder: string): () => void {
  folders.add(folder)
  watchThisProcess()
  return () => {
    folders.delete(folder)
    deleteFolder(folder)
  }
}

/** Servers that were just killed may still write. */
function deleteFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

function watchThisProcess(): void {
  if (isWatching) return
  isWatching = true
  const endAll = (): void => {
    for (const kill of running) kill('SIGKILL')
    for (const folder of folders) deleteFolder(folder)
  }
  process.once('exit', endAll)
  // Vitest ends its test processes by SIGTERM, which skips exit handlers; one that it gives up is disconnected when the
  // main process ends. In the main process, `process.send` is undefined.
  if (process.send === undefined) return
  const endAtOnce = () => {
    endAll()
    process.kill(process.pid, 'SIGKILL')
  }
  process.once('SIGTERM', endAtOnce)
  process.once('disconnect', endAtOnce)
}

/** Polls until the server is ready. If the process ends before, the error contains its output. */
export async function waitUntilReady(
  server: ServerProcess,
  isReady: () => boolean | Promise<boolean>,
  deadlineMs: number,
): Promise<void> {
  const deadline = Date.now() + deadlineMs
  while (!(await isReady())) {
    if (!server.isRunning()) throw new Error(`ended before it was ready:\n${server.stdout()}${server.stderr()}`)
    if (Date.now() > deadline) {
      await server.end('SIGKILL')
      throw new Error(`not ready within ${deadlineMs} ms:\n${server.stdout()}${server.stderr()}`)
    }
    await new Promise(resolve => setTimeout(resolve, 25))
  }
}

/** Returns a port that was free a moment ago. It may be taken before it is used. */
export async function findFreePort(): Promise<number> {
  const probe = createServer()
  probe.listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  probe.close()
  await once(probe, 'close')
  return address.port
}

/** Retries an action on other free ports, because a port may be taken between the check and its use. */
export async function withFreePort<T>(action: (port: number) => Promise<T>, tries = 3): Promise<T> {
  try {
    return await action(await findFreePort())
  } catch (error) {
    if (tries > 1 && /in use|EADDRINUSE/i.test(String(error))) return withFreePort(action, tries - 1)
    throw error
  }
}

function collectOutput(child: ChildProcess): { stdout: () => string; stderr: () => string } {
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  }
  return { stdout: () => texts.stdout, stderr: () => texts.stderr }
}
