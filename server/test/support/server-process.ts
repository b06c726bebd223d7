// A server started as a child process: when it is ready, how it ends, what it said.
// Knows no particular server; every process ends by its own pid.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'

export interface ServerCommand {
  command: string
  args: string[]
  /** What the program sees as its own name, where that decides what it is. */
  argv0?: string
  cwd?: string
  env?: NodeJS.ProcessEnv
  uid?: number
  gid?: number
}

export interface ServerProcess {
  pid: number
  stdout: () => string
  stderr: () => string
  /** Resolves once the process is gone, with its exit code (null when a signal ended it). */
  exitCode: Promise<number | null>
  isRunning: () => boolean
  /** Sends the signal and waits for the end; after the deadline it is killed. */
  end: (signal: NodeJS.Signals, deadlineMs?: number) => Promise<number | null>
}

export async function startProcess(options: ServerCommand): Promise<ServerProcess> {
  const { command, args, ...spawnOptions } = options
  const child = spawn(command, args, { ...spawnOptions, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = collectOutput(child)
  const exitCode = new Promise<number | null>(resolve => {
    child.once('close', code => resolve(code))
  })
  await once(child, 'spawn')
  const pid = child.pid
  if (pid === undefined) throw new Error(`${command} has no pid`)
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null
  killWithThisProcess(child)
  return {
    pid,
    ...output,
    exitCode,
    isRunning,
    end: async (signal, deadlineMs = 60_000) => {
      if (!isRunning()) return exitCode
      child.kill(signal)
      const timer = setTimeout(() => child.kill('SIGKILL'), deadlineMs)
      try {
        return await exitCode
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

const running = new Set<ChildProcess>()
let isWatching = false

/** Nothing that a test started outlives the process of the test. */
function killWithThisProcess(child: ChildProcess): void {
  running.add(child)
  child.once('close', () => running.delete(child))
  if (isWatching) return
  isWatching = true
  const killAll = (): void => {
    for (const each of running) each.kill('SIGKILL')
  }
  process.once('exit', killAll)
  // The runner ends the processes of tests in this way, and its own process in another.
  if (process.send === undefined) return
  process.once('SIGTERM', () => {
    killAll()
    process.kill(process.pid, 'SIGKILL')
  })
}

/** Asks until the answer is true; a process that ends before is an error that shows what it said. */
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

/** A port that was free a moment ago; whoever uses it must bear that it is taken by then. */
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

/** Tries an action on free ports until one holds, since a port may be taken between the look and the use. */
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
