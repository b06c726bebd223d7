// Starts the product as its users do: as a process with its own environment, on a free port. Uses only its environment,
// HTTP interface, exit code and output.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServerProcess, startProcess, waitUntilReady, withFreePort } from './server-process.ts'

export interface Product {
  baseUrl: string
  port: number
  pid: number
  /** Sends SIGTERM, and resolves to the exit code when the process has ended. */
  stop: () => Promise<number | null>
  /** Sends SIGKILL. */
  kill: () => Promise<void>
  stdout: () => string
  stderr: () => string
  exitCode: Promise<number | null>
}

interface ProductOptions {
  /** The environment besides PATH and Node's cache. Without DATA_DIR and DATABASE_URL, it has a temporary folder. */
  env?: Record<string, string>
  args?: string[]
  /** False returns at once, for starts that fail: await `exitCode`. */
  waitForReady?: boolean
}

/** Longer than any start or stop on the slowest machine: a product that takes longer hangs. */
const hangingMs = 180_000

/** TEST_PROCESSES lets the whole suite run on products of several processes. */
export const processesOfProduct = Number(process.env.TEST_PROCESSES ?? 1)

const checkout = join(import.meta.dirname, '../../..')

export async function startProduct(options: ProductOptions = {}): Promise<Product> {
  const env = options.env ?? {}
  if (env.PORT !== undefined) return startOn(Number(env.PORT), options)
  return withFreePort(port => startOn(port, options))
}

async function startOn(port: number, options: ProductOptions): Promise<Product> {
  const given = options.env ?? {}
  const ownFolder =
    given.DATA_DIR === undefined && given.DATABASE_URL === undefined
      ? mkdtempSync(join(tmpdir(), 'sallyport-data-'))
      : null
  const server = await startProcess({
    command: process.execPath,
    args: ['server/dist/code/main.js', ...(options.args ?? [])],
    cwd: checkout,
    env: {
      PATH: process.env.PATH,
      // A start takes an eighth less processor time.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      HOST: '127.0.0.1',
      ...(ownFolder === null ? {} : { DATA_DIR: ownFolder }),
      ...(processesOfProduct === 1 ? {} : { PROCESSES: String(processesOfProduct) }),
      ...given,
      PORT: String(port),
    },
  })
  void server.exitCode.then(() => {
    if (ownFolder !== null) rmSync(ownFolder, { recursive: true, force: true })
  })
  const baseUrl = `http://127.0.0.1:${port}`
  if (options.waitForReady !== false) {
    // Checks the output first, because another process may have taken the port and answer there.
    const isReady = async () => server.stdout().includes('Sallyport serves ') && (await answersReady(baseUrl))
    await waitUntilReady(server, isReady, hangingMs)
  }
  return describeProduct(server, baseUrl, port)
}

function describeProduct(server: ServerProcess, baseUrl: string, port: number): Product {
  return {
    baseUrl,
    port,
    pid: server.pid,
    stop: () => server.end('SIGTERM', hangingMs),
    kill: async () => {
      await server.end('SIGKILL')
    },
    stdout: server.stdout,
    stderr: server.stderr,
    exitCode: server.exitCode,
  }
}

async function answersReady(baseUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(20_000) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}
