// The bench: starts the upstream and every target, loads each in turn, prints medians and ratios, and writes them to
// bench/results.
// Usage: npm run bench -- [--suite=gateway|completions|endpoints|guardrails] [--soak [--minutes=10]] [--quick] [--only=REGEX]
// [--modes=REGEX] [--rounds=N] [--seconds=N] [--warm=REQUESTS] [--retries=N] [--name=WORD] [--profile].
// docs/benchmarks.md explains the figures.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkTarget } from './check-target.ts'
import { writeLoads } from './endpoints.ts'
import { type Mode, type Round, runRound, type Scene } from './load.ts'
import { installNeeds } from './needs.ts'
import { startEmbedded, startOnRedis } from './products.ts'
import { describeUpstream, startBareProxy, startHaproxy, startNginx, startPortkey } from './references.ts'
import { type Goal, type Measured, median, renderMode, summarise } from './report.ts'
import { reportSoak, soak } from './soak.ts'
import { judge, suites } from './suites.ts'
import { aloneName, type Target } from './target.ts'
import { startUpstream } from './upstream.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    modes: { type: 'string', default: '' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    profile: { type: 'boolean', default: false },
    retries: { type: 'string', default: '3' },
    suite: { type: 'string' },
    warm: { type: 'string' },
    soak: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '10' },
    name: { type: 'string' },
  },
})
// The soak test runs the whole pipeline by default.
const suiteName = values.suite ?? (values.soak ? 'completions' : 'gateway')
const suite = suites[suiteName]
if (suite === undefined) throw new Error(`--suite is one of ${Object.keys(suites).join(', ')}`)
const { products, references, modes } = suite
const resultName = values.name ?? suiteName
const rounds = Number(values.rounds ?? (values.quick ? 3 : 5))
const seconds = Number(values.seconds ?? (values.quick ? 1 : 3))
const quantities = { projects: values.quick ? 100 : 400, tokensPerProject: 3 }
const disturbedPercent = 15
/**
 * Programs on a just-in-time compiler need this many requests to reach their final speed; slow ones get a time instead.
 */
const warmUpRequests = Number(values.warm ?? (values.quick ? 20_000 : 200_000))
const warmUpSeconds = values.quick ? 6 : 45
const cacheFolder = join(import.meta.dirname, '.cache')
const closers: Array<() => Promise<void>> = []
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
  const missing = installNeeds(say)
  const { scene, targets, leftOut } = await startEverything(missing)
  const direct = targets[0]!
  for (const target of targets) await checkTarget(scene, direct, target)
  if (values.soak) {
    const minutes = Number(values.minutes)
    const target = targets.find(each => each.isGuarded)!
    if (!reportSoak(await soak(scene, target, minutes, progress), target, minutes, say)) process.exitCode = 1
    return
  }
  const measured: Measured[] = []
  for (const mode of modes.filter(each => new RegExp(values.modes).test(each.name))) {
    const able = targets.filter(target => mode.kind === 'short' || target.streams)
    measured.push(...(await measureMode(scene, able, mode)))
    say(
      `\n${renderMode(
        mode,
        measured.filter(each => each.mode === mode),
      )}\n`,
    )
  }
  const goals = judge(suite!, measured)
  say(renderGoals(goals))
  writeResults(targets, measured, goals, leftOut)
  const failed = goals.filter(({ isBinding, met }) => isBinding && !met)
  for (const goal of failed) say(`FAILED: ${describeGoal(goal)}`)
  if (failed.length > 0) process.exitCode = 1
}

async function startEverything(missing: Set<string>) {
  const soaked = products.find(({ name }) => new RegExp(values.only).test(name))?.name
  const isWanted = (name: string) =>
    name === aloneName || (values.soak ? name === soaked : new RegExp(values.only).test(name))
  const upstream = await startUpstream(cacheFolder)
  closers.push(() => upstream.stop())
  const pids = [upstream.pid]
  const leftOut: string[] = []
  const targets: Target[] = []
  const add = async (name: string, need: string[], start: () => Promise<Target & { storePids?: number[] }>) => {
    if (!isWanted(name)) return
    const lacking = need.filter(each => missing.has(each))
    if (lacking.length > 0) return void leftOut.push(`${name}: no ${lacking.join(', ')} here`)
    progress(`starting ${name}`)
    try {
      const target = await start()
      closers.push(() => target.stop())
      targets.push(target)
      pids.push(...(target.pid === null ? [] : [target.pid]), ...(target.storePids ?? []))
    } catch (error) {
      // The product must start; a reference that cannot (no registry, an older machine) is skipped and reported.
      if (name.startsWith('Sallyport')) throw error
      leftOut.push(`${name}: ${String(error).split('\n')[0]}`)
    }
  }
  const nodeArgs = values.profile ? ['--cpu-prof', `--cpu-prof-dir=${join(cacheFolder, 'profiles')}`] : []
  for (const { name, about, stores, answeredBy, endpoint, settings } of products) {
    const wanted = settings === undefined ? quantities : { ...quantities, settings }
    const answering = { answeredBy, ...(endpoint === undefined ? {} : { endpoint }) }
    const options = { name, about, upstreamPort: upstream.port, ...answering, quantities: wanted, nodeArgs }
    if (stores === 'redis') await add(name, ['Redis', 'PostgreSQL'], () => startOnRedis(options))
    else await add(name, [], () => startEmbedded(options))
  }
  const tokensFile = targets[0]?.tokensFile ?? writePlainTokens()
  const around = { upstreamPort: upstream.port, cacheFolder, tokensFile }
  const own = targets.splice(0)
  targets.push(describeUpstream(around))
  const starters: Record<string, [need: string[], start: () => Promise<Target>]> = {
    nginx: [['nginx'], () => startNginx(around)],
    HAProxy: [['HAProxy'], () => startHaproxy(around)],
    'bare Node proxy': [[], () => startBareProxy(around)],
    Portkey: [[], () => startPortkey(around)],
  }
  for (const name of references) await add(name, ...starters[name]!)
  targets.push(...own)
  progress('')
  for (const line of leftOut) say(`LEFT OUT ${line}`)
  return { scene: { upstream, pids, loads: writeLoads(folder) } satisfies Scene, targets, leftOut }
}

async function measureMode(scene: Scene, targets: Target[], mode: Mode): Promise<Measured[]> {
  const measured = targets.map(target => ({ target: target.name, mode, rounds: [] as Round[] }))
  for (const target of targets) {
    progress(`${mode.name}: warming ${target.name}`)
    await warmUp(scene, target, mode)
  }
  // A stream lasts a second: shorter rounds would mostly measure beginnings.
  const roundSeconds = mode.kind === 'short' ? seconds : Math.max(seconds, 3)
  for (let round = 1; round <= rounds; round++) {
    // In alternating order, so that a drift affects all targets alike.
    const order = round % 2 === 1 ? targets : targets.toReversed()
    for (const target of order) {
      progress(`${mode.name}: round ${round} of ${rounds}, ${target.name}`)
      measured[targets.indexOf(target)]!.rounds.push(await runQuietRound(scene, target, mode, roundSeconds))
    }
  }
  progress('')
  return measured
}

async function warmUp(scene: Scene, target: Target, mode: Mode): Promise<void> {
  const isCompiled = target.name === 'nginx' || target.name === 'HAProxy' || target.pid === null
  let left = isCompiled || mode !== modes[0] ? 0 : warmUpRequests
  const end = performance.now() + warmUpSeconds * 1000
  do {
    const { requestsPerSecond } = await runRound(scene, target, mode, 3)
    left -= requestsPerSecond * 3
  } while (left > 0 && performance.now() < end)
}

/** On a shared machine, a round that other processes disturbed is repeated, and the calmest of its attempts counts. */
async function runQuietRound(scene: Scene, target: Target, mode: Mode, roundSeconds: number): Promise<Round> {
  const tries: Round[] = []
  do {
    tries.push(await runRound(scene, target, mode, roundSeconds))
  } while (tries.at(-1)!.foreignPercent > disturbedPercent && tries.length <= Number(values.retries))
  return tries.toSorted((a, b) => a.foreignPercent - b.foreignPercent)[0]!
}

/** For runs without the product: requests of the same shape and size. */
function writePlainTokens(): string {
  const file = join(folder, 'tokens')
  writeFileSync(file, Array.from({ length: 1200 }, (_, at) => `plain-${at}.localhost ${'x'.repeat(740)}\n`).join(''))
  return file
}

function renderGoals(goals: Goal[]): string {
  return goals.map(goal => `${goal.met ? 'reached    ' : 'NOT reached'}  ${describeGoal(goal)}`).join('\n')
}

function describeGoal({ words, reached, wanted }: Goal): string {
  return `${words}: ${reached.toFixed(2)} (asked: ${wanted})`
}

function writeResults(targets: Target[], measured: Measured[], goals: Goal[], leftOut: string[]): void {
  const foreign = median(measured.flatMap(each => each.rounds.map(round => round.foreignPercent)))
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  const machine = `${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform}`
  const about = {
    date: new Date().toISOString(),
    commit,
    machine,
    node: process.version,
    versions: versions(),
    rounds,
    seconds,
    ...quantities,
    foreignPercent: Number(foreign.toFixed(1)),
    loadAverage: loadavg()[0],
    leftOut,
  }
  const stem = join(import.meta.dirname, 'results', `${about.date.slice(0, 10)}-${resultName}`)
  mkdirSync(join(import.meta.dirname, 'results'), { recursive: true })
  const summaries = measured.map(each => ({ target: each.target, mode: each.mode.name, medians: summarise(each) }))
  writeFileSync(`${stem}.json`, `${JSON.stringify({ about, goals, summaries, measured }, null, 1)}\n`)
  const tables = [...new Set(measured.map(each => each.mode))].map(mode =>
    renderMode(
      mode,
      measured.filter(each => each.mode === mode),
    ),
  )
  const lines = [
    `# ${resultName}, ${about.date.slice(0, 10)}, commit ${commit}`,
    `${machine}; Node ${process.version}; ${Object.entries(about.versions)
      .map(([name, version]) => `${name} ${version}`)
      .join('; ')}.`,
    `Medians of ${rounds} alternating rounds of ${seconds} s; ${quantities.projects * quantities.tokensPerProject} live tokens over ${quantities.projects} projects. Others used ${about.foreignPercent} % of the two cores meanwhile.`,
    ...leftOut.map(line => `Left out: ${line}.`),
    ...tables,
    `\`\`\`\n${renderGoals(goals)}\n\`\`\``,
    targets.map(target => `- **${target.name}**: ${target.about}.`).join('\n'),
  ]
  writeFileSync(`${stem}.md`, `${lines.join('\n\n')}\n`)
  say(
    `\nOthers used ${about.foreignPercent} % of the two cores meanwhile. Written: bench/results/${about.date.slice(0, 10)}-${resultName}.{json,md}`,
  )
}

function versions(): Record<string, string> {
  const first = (command: string, args: string[], pattern: RegExp): string | null => {
    try {
      return (
        pattern.exec(execFileSync('sh', ['-c', '"$0" "$@" 2>&1; true', command, ...args], { encoding: 'utf8' }))?.[1] ??
        null
      )
    } catch {
      return null
    }
  }
  const found = {
    undici: (
      JSON.parse(readFileSync(join(import.meta.dirname, '../node_modules/undici/package.json'), 'utf8')) as {
        version: string
      }
    ).version,
    wrk: first('wrk', ['-v'], /wrk (\S+)/),
    nginx: first('nginx', ['-v'], /nginx\/(\S+)/),
    HAProxy: first('haproxy', ['-v'], /version (\S+)/),
    Redis: first('redis-cli', ['--version'], /redis-cli (\S+)/),
  }
  return Object.fromEntries(Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== null))
}

function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`)
  else if (line !== '') process.stderr.write(`${line}\n`)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
