// The product as its users run it: a process of its own, with an environment of its own, on a free port.
// Knows only what a user knows: the environment, the HTTP surface, the exit code and what it prints.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServerProcess, startProcess, waitUntilReady, withFreePort } from './server-process.ts'

export interface Product {
  baseUrl: string
  port: number
  pid: number
  /** SIGTERM, then the exit code once the process is gone. */
  stop: () => Promise<number | null>
  /** SIGKILL. */
  kill: () => Promise<void>
  stdout: () => string
  stderr: () => string
  exitCode: Promise<number | null>
}

interface ProductOptions {
  /** The whole environment but PATH; without DATA_DIR and DATABASE_URL a temporary DATA_DIR is made and deleted. */
  env?: Record<string, string>
  args?: string[]
  /** False returns at once, for starts that are refused: await `exitCode`. */
  waitForReady?: boolean
}

/** No machine is so slow: what takes longer hangs. */
const hangingMs = 180_000

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
    args: ['server/src/main.ts', ...(options.args ?? [])],
    cwd: checkout,
    env: {
      PATH: process.env.PATH,
      // As `npm start` does, whose cache is for other flags: compiling the sources is half of a start.
      NODE_COMPILE_CACHE: 'node_modules/.cache/compiled-for-tests',
      HOST: '127.0.0.1',
      ...(ownFolder === null ? {} : { DATA_DIR: ownFolder }),
      ...given,
      PORT: String(port),
    },
  })
  void server.exitCode.then(() => {
    if (ownFolder !== null) rmSync(ownFolder, { recursive: true, force: true })
  })
  const baseUrl = `http://127.0.0.1:${port}`
  if (options.waitForReady !== false) {
    // Its own word first: another process may have taken the port, and answer there.
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
