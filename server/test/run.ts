// The test command: installs what the tests need where it may, says what it leaves out where it may not, runs them and
// counts. Under CI=true nothing is left out, and files that pass are not listed. The last line is the outcome: `N passed,
// N failed`. Arguments are parts of paths: without any, `--all` runs every file, `--rest` those that a run without it
// leaves out (support/runner/speeds.ts), and `--prove` every file with the full counts. `--install` installs what the
// chosen files need and runs none of them.
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { startVitest } from 'vitest/node'
import { installMissing, selectFiles } from './support/programs/install-missing.ts'
import { isInstallable, type Need } from './support/programs/needs.ts'
import { type Counts, LineReporter } from './support/runner/line-reporter.ts'
import { findTestFiles, isOfSpeed, type Speed } from './support/runner/speeds.ts'

const checkout = join(import.meta.dirname, '../..')
const inCi = process.env.CI === 'true'

const args = process.argv.slice(2)
const filters = args.filter(arg => !arg.startsWith('--'))
if (args.includes('--prove')) process.env.PROVE = '1'
// A test process that does not answer must not keep this one alive.
process.exit(await main(chooseSpeed()))

/** Whoever names files gets them. */
function chooseSpeed(): Speed {
  if (args.includes('--rest')) return 'rest'
  return args.includes('--all') || args.includes('--prove') || filters.length > 0 ? 'all' : 'quick'
}

async function main(speed: Speed): Promise<number> {
  process.chdir(checkout)
  process.env.TEST_SPEED = speed
  const testFiles = findTestFiles().filter(file => isOfSpeed(speed, file))
  const missing = installMissing(selectFiles(testFiles, filters), say)
  const installable = missing.filter(({ need }) => isInstallable(need))
  if (installable.length > 0 && inCi) {
    say(`In CI nothing is skipped, and there is no ${installable.map(({ need }) => need.name).join(' and no ')} here.`)
    return report({ passed: 0, failed: installable.length, skipped: 0 })
  }
  for (const { need, files } of missing) {
    say(`SKIPPED without ${need.name} (${describePackages(need)}):`)
    for (const file of files) say(`  ${file}`)
  }
  if (args.includes('--install')) return 0
  const counts = await runTests()
  if (inCi && counts.skipped > 0) {
    say(`In CI nothing is skipped: ${counts.skipped} skipped tests count as failed.`)
    counts.failed += counts.skipped
    counts.skipped = 0
  }
  counts.skipped += new Set(missing.flatMap(({ files }) => files)).size
  return report(counts)
}

function describePackages(need: Need): string {
  if (!isInstallable(need)) return 'neither npm nor Debian has it for this platform'
  const names = need.npmProgram?.packages.map(({ name, version }) => `${name}@${version}`) ?? []
  return [
    ...(names.length > 0 ? [`npm: ${names.join(', ')}`] : []),
    ...(need.packages.length > 0 ? [`Debian: ${need.packages.join(', ')}`] : []),
  ].join('; ')
}

async function runTests(): Promise<Counts> {
  const output = process.stdout.isTTY ? process.stdout : withoutColours()
  const reporter = new LineReporter(output, { passedFiles: !inCi })
  const options = { watch: false, reporters: [reporter] }
  const vitest = await startVitest(filters, options, {}, { stdout: output, stderr: output })
  await vitest.close()
  const { counts } = reporter
  // A fault beside all files, as servers that do not end, has no line of its own; nor has the end by a signal.
  if (process.exitCode !== undefined && counts.passed > 0 && counts.failed === 0) counts.failed = 1
  return counts
}

/** Vitest colours what it says of an error, wherever that goes. */
function withoutColours(): Writable {
  return new Writable({
    write(bytes: Buffer, _encoding, done) {
      process.stdout.write(stripVTControlCharacters(bytes.toString()), done)
    },
  })
}

function report({ passed, failed, skipped }: Counts): number {
  if (passed + failed === 0) say('No test ran.')
  process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`)
  return failed > 0 || passed === 0 ? 1 : 0
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
