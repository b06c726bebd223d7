// Starts, kills and restarts a real Redis on a free loopback port. It stores nothing on disk.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { TestServer } from './postgres.ts'
import { findBinary } from './programs/find-binary.ts'
import { type ServerProcess, startProcess, waitUntilReady, withFreePort } from './server-process.ts'

interface RedisOptions {
  /** Further arguments, such as `['--maxmemory-policy', 'allkeys-lru']`. */
  args?: string[]
}

/** Debian packages the server without a service as `redis-check-rdb`; started as `redis-server` it is the server. */
export function findRedis(): string | null {
  return findBinary('redis-server', 'valkey-server', 'redis-check-rdb', 'valkey-check-rdb')
}

export async function startRedis(options: RedisOptions = {}): Promise<TestServer> {
  const binary = findRedis()
  if (binary === null) throw new Error('Redis is not installed; `npm test` installs it where it may')
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-redis-'))
  const start = (port: number): Promise<ServerProcess> => launch(binary, folder, port, options)
  let { port, server } = await withFreePort(async candidate => ({ port: candidate, server: await start(candidate) }))
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    get pid() {
      return server.pid
    },
    log: () => server.stdout(),
    stop: async () => {
      await server.end('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
    kill: async () => {
      await server.end('SIGKILL')
    },
    restart: async () => {
      await server.end('SIGTERM')
      server = await start(port)
    },
  }
}

async function launch(binary: string, folder: string, port: number, options: RedisOptions): Promise<ServerProcess> {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
  const server = await startProcess({
    command: binary,
    // The product counts by itself while Redis does not answer within a second.
    isPreferred: true,
    argv0: basename(binary).startsWith('valkey') ? 'valkey-server' : 'redis-server',
    args: [...args, '--maxmemory-policy', 'noeviction', ...(options.args ?? [])],
    cwd: folder,
  })
  await waitUntilReady(server, () => /ready to accept connections/i.test(server.stdout()), 180_000)
  return server
}
