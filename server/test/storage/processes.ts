// Starts child.ts in processes of their own and reads what they say. Knows nothing of databases.
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type ServerProcess, startProcess, waitUntilReady } from '../support/server-process.ts'

const child = join(import.meta.dirname, 'child.ts')

/** Killed when the test ends. `wrapper` is a program that runs it, such as strace. */
export async function startChild(args: string[], wrapper: string[] = []): Promise<ServerProcess> {
  const [command = '', ...rest] = [...wrapper, process.execPath, child, ...args]
  const started = await startProcess({
    command,
    args: rest,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
  })
  onTestFinished(async () => {
    await started.end('SIGKILL')
  })
  return started
}

export async function waitForLine(process: ServerProcess, line: string): Promise<void> {
  await waitUntilReady(process, () => process.stdout().includes(`${line}\n`), 20_000)
}
