// The bench: starts the upstream and every target, loads each in turn, prints medians and ratios, and writes them to
// bench/results.
// Usage: npm run bench -- [--suite=gateway|completions|connections|endpoints|guardrails|cache|peers]
// [--rate[=quarter,half,N]] [--soak [--minutes=10]] [--quick] [--only=REGEX] [--modes=REGEX] [--rounds=N] [--seconds=N]
// [--warm=REQUESTS] [--retries=N] [--processes=N] [--name=WORD] [--profile]; npm run bench -- --guard
// [--base=REVISION] [--only=REGEX]; npm run bench -- --request-log [--postgres] [--rows=N] [--days=N] [--row-projects=N]
// [--calls=N] [--only=REGEX]. docs/benchmarks.md explains the figures.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkTarget } from './check-target.ts'
import { runGuard } from './guard/run-guard.ts'
import { type Effort, measureMode, type Run } from './measure.ts'
import { installNeeds } from './needs.ts'
import { measureRates } from './open-loop/measure-rates.ts'
import { parseRates } from './open-loop/schedule.ts'
import { type Measured, median, renderGoals, renderMode, summarise } from './report.ts'
import { runRequestLog } from './request-log/run-request-log.ts'
import { enforceGoals, writeResults } from './results.ts'
import { reportSoak, soak } from './soak.ts'
import { startTargets } from './start-targets.ts'
import { judge, suites } from './suites.ts'
import { aloneName, isProduct, type Target } from './target.ts'

const { values } = parseArgs({
  // `--rate` alone is short for its default.
  args: process.argv.slice(2).map(arg => (arg === '--rate' ? '--rate=quarter,half' : arg)),
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    modes: { type: 'string', default: '' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    rate: { type: 'string' },
    profile: { type: 'boolean', default: false },
    processes: { type: 'string', default: '1' },
    retries: { type: 'string', default: '3' },
    suite: { type: 'string' },
    warm: { type: 'string' },
    soak: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '10' },
    name: { type: 'string' },
    guard: { type: 'boolean', default: false },
    base: { type: 'string' },
    'request-log': { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    rows: { type: 'string', default: '1000000' },
    days: { type: 'string', default: '10' },
    'row-projects': { type: 'string', default: '10' },
    calls: { type: 'string', default: '40' },
  },
})
// The soak test and open loops run the whole pipeline by default.
const suiteName = values.suite ?? (values.soak || values.rate !== undefined ? 'completions' : 'gateway')
const suite = suites[suiteName]
if (suite === undefined) throw new Error(`--suite is one of ${Object.keys(suites).join(', ')}`)
const rates = values.rate === undefined ? null : parseRates(values.rate)
if (rates !== null && suite.products.some(({ loads }) => loads !== undefined)) {
  throw new Error(`--rate sends equal requests only, so it cannot measure --suite=${suiteName}`)
}
const isQuick = values.quick || suite.isShort === true
const effort: Effort = {
  rounds: Number(values.rounds ?? (isQuick || rates !== null ? 3 : 5)),
  seconds: Number(values.seconds ?? (isQuick ? 1 : rates === null ? 3 : 10)),
  retries: Number(values.retries),
  warmUpRequests: Number(values.warm ?? (isQuick ? 20_000 : 200_000)),
  warmUpSeconds: isQuick ? 6 : 45,
}
const quantities = { projects: isQuick ? 100 : 400, tokensPerProject: 3 }
const processes = Number(values.processes)
const cacheFolder = join(import.meta.dirname, '.cache')
const closers: Array<() => Promise<void>> = []
const notes: string[] = []
const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'))

// One listener for each process that it ends.
process.setMaxListeners(50)
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

try {
  await main()
} finally {
  for (const close of closers.reverse()) await close()
}

async function main(): Promise<void> {
  if (values.guard) {
    const options = { base: values.base, only: new RegExp(values.only), folder, cacheFolder, progress, say }
    if (!(await runGuard(options))) process.exitCode = 1
    return
  }
  if (values['request-log']) {
    const [rows, days, projects] = [Number(values.rows), Number(values.days), Number(values['row-projects'])]
    const [calls, only] = [Number(values.calls), new RegExp(values.only)]
    await runRequestLog({ rows, days, projects, calls, usesPostgres: values.postgres, only, progress, say })
    return
  }
  const run = await prepare()
  if (values.soak) {
    const minutes = Number(values.minutes)
    const target = run.targets.find(isProduct)!
    if (!reportSoak(await soak(run.scene, target, minutes, progress), target, minutes, say)) process.exitCode = 1
    return
  }
  if (rates !== null) {
    const measured = await measureRates(run, rates, cacheFolder, say)
    writeResults({ ...common(run), ...measured, name: `${resultName()}-rate` }, say)
    enforceGoals(measured.goals, say)
    return
  }
  const measured: Measured[] = []
  for (const mode of suite!.modes.filter(each => new RegExp(values.modes).test(each.name))) {
    const ofMode = await measureMode(run, mode, mode === suite!.modes[0])
    say(`\n${renderMode(mode, ofMode)}\n`)
    measured.push(...ofMode)
  }
  const goals = judge(suite!, measured)
  say(renderGoals(goals))
  const tables = [...Map.groupBy(measured, each => each.mode)].map(([mode, ofMode]) => renderMode(mode, ofMode))
  const summaries = measured.map(each => ({ target: each.target, mode: each.mode.name, medians: summarise(each) }))
  const foreignPercent = median(measured.flatMap(each => each.rounds.map(round => round.foreignPercent)))
  const method = `Medians of ${effort.rounds} alternating rounds of ${effort.seconds} s; ${describeTokens()}.`
  const data = { summaries, measured }
  writeResults({ ...common(run), name: resultName(), method, tables, goals, foreignPercent, data }, say)
  enforceGoals(goals, say)
}

async function prepare(): Promise<Run> {
  const missing = installNeeds(say)
  const soaked = suite!.products.find(({ name }) => new RegExp(values.only).test(name))?.name
  const { scene, targets } = await startTargets({
    suite: suite!,
    quantities,
    folder,
    cacheFolder,
    missing,
    isWanted: name => (values.soak ? name === soaked : new RegExp(values.only).test(name)),
    processes,
    profile: values.profile,
    plainTokensFile: writePlainTokens(),
    closers,
    progress,
    note,
  })
  const direct = targets[0]!
  const checked: Target[] = []
  for (const target of targets) {
    try {
      await checkTarget(scene, direct, target)
      checked.push(target)
    } catch (error) {
      if (isProduct(target) || target.name === aloneName) throw error
      note(`${target.name}: ${String(error).split('\n')[0]}`)
    }
  }
  return { scene, targets: checked, effort, progress, note }
}

function common({ targets }: Run) {
  return { facts: { ...effort, ...quantities, processes }, targets, notes }
}

function resultName(): string {
  return values.name ?? suiteName
}

function describeTokens(): string {
  return `${quantities.projects * quantities.tokensPerProject} live tokens over ${quantities.projects} projects`
}

/** For runs without the product: requests of the same shape and size. */
function writePlainTokens(): string {
  const file = join(folder, 'tokens')
  writeFileSync(file, Array.from({ length: 1200 }, (_, at) => `plain-${at}.localhost ${'x'.repeat(740)}\n`).join(''))
  return file
}

/** The same note is reported once. */
function note(line: string): void {
  if (notes.includes(line)) return
  notes.push(line)
  say(`Not measured: ${line}`)
}

function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`)
  else if (line !== '') process.stderr.write(`${line}\n`)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
