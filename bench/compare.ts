// Compares the processor time of a request part by part and checkout by checkout in one run: every variant is started
// and warmed until its cost no longer falls, then all take turns. Processor time varies less than wall time on a shared
// machine.
// Usage: node bench/compare.ts [--kinds=whole,listener] [--trees=/path/to/another/checkout,.] [--rounds=7]
// [--seconds=1] [--connections=32] [--warm=150000] [--paced] [--redis=redis://…] [--node=--max-semi-space-size=32]
// [--bare]
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { waitUntilReady, withFreePort } from '../server/test/support/server-process.ts'
import { writeLoads } from './endpoints.ts'
import { type Mode, runRound, type Scene } from './load.ts'
import { loadCore, measuredCore, readCpuTimes, startPinned } from './process.ts'
import { median } from './report.ts'
import type { Target } from './target.ts'
import { startUpstream } from './upstream.ts'

const { values } = parseArgs({
  options: {
    kinds: { type: 'string', default: 'whole' },
    trees: { type: 'string', default: '.' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1' },
    connections: { type: 'string', default: '32' },
    warm: { type: 'string', default: '150000' },
    paced: { type: 'boolean', default: false },
    redis: { type: 'string', default: '' },
    node: { type: 'string', default: '' },
    bare: { type: 'boolean', default: false },
  },
})
const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
const closers: Array<() => Promise<unknown>> = []
const mode: Mode = { name: 'compared', kind: values.paced ? 'paced' : 'short', connections: Number(values.connections) }
const seconds = Math.max(Number(values.seconds), values.paced ? 3 : 0)

interface Cost {
  micros: number
  user: number
  requestsPerSecond: number
  p99Ms: number
}

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
  const upstream = await startUpstream(join(import.meta.dirname, '.cache'))
  closers.push(() => upstream.stop())
  const scene: Scene = { upstream, pids: [upstream.pid], cores: [measuredCore, loadCore], loads: writeLoads(folder) }
  const targets: Target[] = []
  for (const tree of values.trees.split(',')) {
    for (const kind of values.kinds.split(',')) targets.push(await startPart(resolve(tree), kind, upstream.port))
    if (values.bare) targets.push(await startPart(resolve(tree), 'bare', upstream.port))
  }
  for (const target of targets) await warm(scene, target)
  const costs = targets.map((): Cost[] => [])
  for (let round = 0; round < Number(values.rounds); round++) {
    const order = round % 2 === 0 ? targets : targets.toReversed()
    for (const target of order) costs[targets.indexOf(target)]!.push(await measure(scene, target))
  }
  for (const [at, target] of targets.entries()) say(target, costs[at]!)
}

async function measure(scene: Scene, target: Target): Promise<Cost> {
  const before = readCpuTimes(target.pid!)
  const round = await runRound(scene, target, mode, seconds)
  const after = readCpuTimes(target.pid!)
  const [user, system] = [after.user - before.user, after.system - before.system]
  return {
    micros: round.cpuMicros,
    user: (round.cpuMicros * user) / Math.max(1, user + system),
    requestsPerSecond: round.requestsPerSecond,
    p99Ms: round.p99Ms,
  }
}

/** A just-in-time compiler needs some hundred thousand requests before a program reaches its final speed. */
async function warm(scene: Scene, target: Target): Promise<void> {
  let done = 0
  while (done < Number(values.warm)) {
    const round = await runRound(scene, target, { ...mode, kind: 'short' }, 3)
    done += round.requestsPerSecond * 3
  }
}

async function startPart(tree: string, kind: string, upstreamPort: number): Promise<Target> {
  const name = `${kind} in ${basename(tree)}`
  const tokensFile = join(folder, `${kind}-${closers.length}`)
  writeFileSync(tokensFile, 'localhost none\n')
  const program = kind === 'bare' ? ['bare-proxy.ts'] : ['part.ts', kind]
  const { port, server } = await withFreePort(async candidate => {
    const url = `http://127.0.0.1:${upstreamPort}`
    const args = [join(tree, 'bench', program[0]!), ...program.slice(1), String(candidate), url]
    if (kind !== 'bare') args.push(tokensFile, ...(values.redis === '' ? [] : [values.redis]))
    const started = await startPinned({
      core: measuredCore,
      command: process.execPath,
      args: [...values.node.split(' ').filter(Boolean), ...args],
      cwd: tree,
      errorFile: join(folder, 'log'),
    })
    await waitUntilReady(started, () => answers(candidate), 30_000)
    return { port: candidate, server: started }
  })
  closers.push(() => server.end('SIGTERM', 3_000))
  return {
    name,
    about: '',
    port,
    pid: server.pid,
    headers: [],
    tokensFile,
    streams: true,
    isGuarded: false,
    agreesIn: 'bytes',
    endpoint: 'chat_completions',
    stop: async () => undefined,
  }
}

async function answers(port: number): Promise<boolean> {
  return await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(2_000) }).then(
    () => true,
    () => false,
  )
}

function say({ name }: Target, costs: Cost[]): void {
  const figures = (read: (cost: Cost) => number) => costs.map(read)
  const micros = figures(cost => cost.micros)
  const words = [
    name.padEnd(28),
    `CPU ${median(micros).toFixed(1)} µs (least ${Math.min(...micros).toFixed(1)})`,
    `user ${median(figures(cost => cost.user)).toFixed(1)}`,
    `${median(figures(cost => cost.requestsPerSecond)).toFixed(0)} req/s`,
    `p99 ${median(figures(cost => cost.p99Ms)).toFixed(1)} ms`,
  ]
  process.stdout.write(`${words.join('  ')}\n`)
}
