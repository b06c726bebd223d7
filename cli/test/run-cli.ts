// Runs the built command line as a process of its own, as people do.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deleteWithThisProcess, startProcess } from '../../server/test/support/server-process.ts'

const program = join(import.meta.dirname, '../dist/sallyport.js')

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

type Variables = Record<string, string>

/** Nobody's own sessions are read. */
const emptyFolder = makeFolder()

export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-cli-'))
  deleteWithThisProcess(folder)
  return folder
}

/** With no other variables than these. */
export async function startCli(args: readonly string[], env: Variables) {
  const variables = { XDG_CONFIG_HOME: emptyFolder, ...env }
  return await startProcess({ command: process.execPath, args: [program, ...args], env: variables })
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
