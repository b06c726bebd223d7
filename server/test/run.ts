// The test command: installs what the tests need where it may, says what it leaves out where it may not, runs them and
// counts. Under CI=true nothing is left out. The last line is the outcome: `N passed, N failed`.
import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { findObstacle, installPackages } from './support/install.ts'
import { filesThatNeed, type Need, needs } from './support/needs.ts'

interface Counts {
  passed: number
  failed: number
  skipped: number
}

interface Run extends Counts {
  /** Files in which something failed. */
  failedFiles: string[]
  /** What else went wrong than a test: no second run mends that. */
  isBroken: boolean
}

/** More than this is no accident of a loaded machine. */
const mostFilesAgain = 3

const checkout = join(import.meta.dirname, '../..')
const skipsNothing = process.env.CI === 'true'

const args = process.argv.slice(2)
process.exitCode = await main(
  args.includes('--prove'),
  args.filter(arg => arg !== '--prove'),
)

async function main(prove: boolean, filters: string[]): Promise<number> {
  process.chdir(checkout)
  const missing = installMissing()
  if (missing.length > 0 && skipsNothing) {
    say(`In CI nothing is skipped, and there is no ${missing.map(need => need.name).join(' and no ')} here.`)
    return report({ passed: 0, failed: missing.length, skipped: 0 })
  }
  const leftOut = [...new Set(missing.flatMap(need => leaveOut(need)))]
  const first = await runVitest(prove, filters, leftOut)
  const counts = isWorthAnother(first) ? await runFailedAgain(prove, first) : first
  counts.skipped += leftOut.length
  if (skipsNothing && counts.skipped > 0) {
    say(`In CI nothing is skipped: ${counts.skipped} skipped tests count as failed.`)
    counts.failed += counts.skipped
    counts.skipped = 0
  }
  return report(counts)
}

/** Installs what it may and returns what is still missing. */
function installMissing(): Need[] {
  const missing = needs.filter(need => need.find() === null)
  if (missing.length === 0) return []
  const names = missing.map(need => need.name).join(', ')
  const obstacle = findObstacle()
  if (obstacle !== null) {
    say(`Not installed here: ${names}. Not installing: ${obstacle}.`)
    return missing
  }
  const packages = missing.flatMap(need => need.packages)
  say(`Not installed here: ${names}. Installing ${packages.join(', ')} (no service is started).`)
  try {
    installPackages(packages)
  } catch (error) {
    say(`Installing failed: ${String(error)}`)
  }
  return missing.filter(need => need.find() === null)
}

function leaveOut(need: Need): string[] {
  const files = filesThatNeed(need, globSync('{server,sdk,dashboard}/test/**/*.test.ts'))
  say(`SKIPPED without ${need.name} (Debian: ${need.packages.join(', ')}):`)
  for (const file of files) say(`  ${file}`)
  return files
}

function isWorthAnother({ failedFiles, isBroken }: Run): boolean {
  return !isBroken && failedFiles.length > 0 && failedFiles.length <= mostFilesAgain
}

/** Deadlines are missed where a machine is loaded by others: the few files that failed run once more, alone, and it is said. */
async function runFailedAgain(prove: boolean, first: Run): Promise<Counts> {
  say(`FAILED AT THE FIRST RUN (${first.failed} tests); running once more, alone:`)
  for (const file of first.failedFiles) say(`  ${file}`)
  const second = await runVitest(prove, first.failedFiles, [])
  say(`At the second run ${second.failed} failed: what passed only then depends on time and deserves a look.`)
  return {
    passed: first.passed + first.failed - second.failed,
    failed: second.failed,
    skipped: first.skipped,
  }
}

async function runVitest(prove: boolean, filters: string[], leftOut: string[]): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-run-'))
  const results = join(folder, 'results.json')
  const program = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=default', '--reporter=json']
  const options = [`--outputFile.json=${results}`, ...leftOut.map(file => `--exclude=${file}`)]
  const env = { ...process.env, ...(prove ? { PROVE: '1' } : {}) }
  try {
    const code = await runToEnd([...program, ...options, ...filters], env)
    return readRun(results, code)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function runToEnd(nodeArgs: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, nodeArgs, { env, stdio: ['ignore', 'inherit', 'inherit'] })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => resolve(code ?? 1))
  })
}

/** A file that could not be loaded, and a fault outside every test, count as one failure each. */
function readRun(path: string, exitCode: number): Run {
  const run: Run = { passed: 0, failed: 0, skipped: 0, failedFiles: [], isBroken: false }
  try {
    const results: Results = JSON.parse(readFileSync(path, 'utf8'))
    run.passed = results.numPassedTests
    run.skipped = results.numPendingTests + results.numTodoTests
    const unloaded = results.testResults.filter(file => file.status === 'failed' && file.assertionResults.length === 0)
    run.failed = results.numFailedTests + unloaded.length
    run.isBroken = unloaded.length > 0
    run.failedFiles = results.testResults
      .filter(file => file.assertionResults.some(({ status }) => status === 'failed'))
      .map(file => relative(checkout, file.name))
  } catch (error) {
    say(`The test runner left no result: ${String(error)}`)
    run.isBroken = true
  }
  if (exitCode !== 0 && run.failed === 0) {
    run.failed = 1
    run.isBroken = true
  }
  return run
}

/** The part of Vitest's JSON report that is read here. */
interface Results {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
  testResults: { name: string; status: string; assertionResults: { status: string }[] }[]
}

function report({ passed, failed, skipped }: Counts): number {
  if (passed + failed === 0) say('No test ran.')
  process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`)
  return failed > 0 || passed === 0 ? 1 : 0
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
