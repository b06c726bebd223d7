// Compiles and starts the scripted provider of upstream.c, and reads its counters.
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { findBinary } from '../server/test/support/programs/find-binary.ts'
import { waitUntilReady } from '../server/test/support/server-process.ts'
import { loadCore, startPinned } from './process.ts'

export interface UpstreamCounts {
  requests: number
  streams: number
  chunks: number
  connections: number
}

export interface Upstream {
  port: number
  pid: number
  count(): Promise<UpstreamCounts>
  /** Closes all idle connections, so that clients have to connect again. */
  closeIdle(): Promise<void>
  stop(): Promise<void>
}

export async function startUpstream(cacheFolder: string): Promise<Upstream> {
  const compiler = findBinary('cc', 'gcc')
  if (compiler === null) throw new Error('no C compiler: the upstream cannot be made')
  mkdirSync(cacheFolder, { recursive: true })
  const program = join(cacheFolder, 'upstream')
  execFileSync(compiler, ['-O2', '-Wall', '-Wextra', '-o', program, join(import.meta.dirname, 'upstream.c')])
  const server = await startPinned({ core: loadCore, command: program, args: [] })
  await waitUntilReady(server, () => server.stdout().includes('\n'), 5_000)
  const port = Number(server.stdout().trim())
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })
    return (await response.json()) as UpstreamCounts
  }
  return {
    port,
    pid: server.pid,
    count: () => ask('/count'),
    async closeIdle() {
      await ask('/close')
    },
    async stop() {
      await server.end('SIGKILL')
    },
  }
}
