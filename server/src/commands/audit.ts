// The entry point of `sallyport audit verify FILE`: proves an exported audit without a server.
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { StartupProblem } from '../domain/startup-problem.ts'
import { readArguments } from './arguments.ts'
import { type AuditProof, createAuditFileCheck, findSignatureFault } from './audit-file.ts'

const usage = `Usage: sallyport audit verify FILE [--keys FILE] [--json]
Checks that the entries in FILE, an export of the audit in NDJSON, form an unbroken chain up to its signed end.
  --keys FILE   the key set of the installation (BASE_URL/.well-known/jwks.json); checks the signature with it
  --json        prints the result as JSON
Exit codes: 0 the chain is whole, 1 it is not, or the file could not be read, 2 wrong arguments`

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  try {
    const { flags, values, words } = readArguments(args, {
      flags: ['--help', '--json'],
      values: ['--keys'],
      maxWords: 2,
    })
    if (flags.has('--help')) return print(usage, 0)
    const [command, file] = words
    if (command !== 'verify' || file === undefined) throw new StartupProblem(usage)
    const proof = await verify(file, values.get('--keys'))
    return print(flags.has('--json') ? JSON.stringify(proof) : proof.message, proof.verified ? 0 : 1)
  } catch (error) {
    if (error instanceof StartupProblem) return fail(error.message, 2)
    if (error instanceof Error && 'code' in error) return fail(error.message, 1)
    throw error
  }
}

async function verify(file: string, keysFile: string | undefined): Promise<AuditProof> {
  const check = createAuditFileCheck()
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line !== '' && !check.addLine(line)) break
  }
  const proof = check.end()
  if (!proof.verified || keysFile === undefined) return proof
  const fault = await findSignatureFault(check.head(), await readFile(keysFile, 'utf8'))
  return fault === null ? { ...proof, message: `${proof.message} The signature is valid.` } : { ...proof, ...fault }
}

function print(text: string, code: number): number {
  process.stdout.write(`${text}\n`)
  return code
}

function fail(text: string, code: number): number {
  process.stderr.write(`${text}\n`)
  return code
}
