// Runs the built command line as a process of its own, as people do.
import { join } from 'node:path'
import { startProcess } from '../../server/test/support/server-process.ts'

const program = join(import.meta.dirname, '../dist/sallyport.js')

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

type Variables = Record<string, string>

/** With no other variables than these. */
export async function startCli(args: readonly string[], env: Variables) {
  return await startProcess({ command: process.execPath, args: [program, ...args], env })
}

export async function runCli(args: readonly string[], env: Variables = {}): Promise<Ended> {
  const started = await startCli(args, env)
  const code = await started.exitCode
  return { code, stdout: started.stdout(), stderr: started.stderr() }
}

/** Returns what `--json` prints; throws unless the command succeeds. */
export async function readCli(args: readonly string[], env: Variables): Promise<unknown> {
  const { code, stdout, stderr } = await runCli([...args, '--json'], env)
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}${stdout}`)
  return JSON.parse(stdout)
}
