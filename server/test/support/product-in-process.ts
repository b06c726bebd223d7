// Starts the built product in the test's process: a start takes a fraction of that of a process, and code that earlier
// files of this worker have run is compiled already. Clients reach it through a port, as they reach one of its own.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { startApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/log/log.ts'
import { withFreePort } from './server-process.ts'
import type { Product } from './start-product.ts'

/** Without the test runner, which would transform the bundle once more. */
const loadBuilt = createRequire(import.meta.url)
const builtApp = join(import.meta.dirname, '../../dist/code/app.js')

export function startInThisProcess(env: Record<string, string>): Promise<Product> {
  return withFreePort(port => startOn(port, env))
}

async function startOn(port: number, env: Record<string, string>): Promise<Product> {
  const built: { startApp: typeof startApp } = loadBuilt(builtApp)
  const config = loadConfig({ HOST: '127.0.0.1', ...env, PORT: String(port) })
  let lines = ''
  const write = (line: string) => {
    lines += line
  }
  const app = await built.startApp(config, createLog({ level: config.logLevel ?? 'info', destination: { write } }))
  const { promise: exitCode, resolve } = Promise.withResolvers<number | null>()
  const stop = async () => {
    await app.stop()
    resolve(0)
    return 0
  }
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    port,
    pid: process.pid,
    stop,
    kill: async () => {
      throw new Error('This product runs in the process of the test: start one with own: "process" to kill it.')
    },
    stdout: () => '',
    stderr: () => lines,
    exitCode,
  }
}
