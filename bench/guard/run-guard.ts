// The guard: compares the processor time of the working tree with that of its base, and fails if it has risen.
import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeLoads } from '../endpoints.ts'
import type { Scene } from '../load.ts'
import { installNeeds } from '../needs.ts'
import { startEmbedded, startOnRedis } from '../products.ts'
import { references } from '../references/references.ts'
import { renderTable } from '../report.ts'
import { startUpstream } from '../upstream.ts'
import { checkOut, findRevisions } from './base-checkout.ts'
import { type Compared, type Comparison, type Costs, summarise, takeSample } from './compare-pair.ts'
import { type GuardedLoad, type GuardedScene, guardedScenes } from './scenes.ts'
import { type GuardRun, isAbove, maxRatio, renderHead, renderLine } from './verdict.ts'

export interface GuardOptions {
  /** The revision to compare with; by default where this branch left the trunk. */
  base: string | undefined
  /** Comparisons by name; only a run of all of them adds a line to the results. */
  only: RegExp
  /** For files of this run. */
  folder: string
  cacheFolder: string
  progress: (line: string) => void
  say: (line: string) => void
}

interface Surroundings extends Pick<Scene, 'loads'> {
  upstreamPort: number
}

const quantities = { projects: 100, tokensPerProject: 3 }
const samplesOfAttempt = 3
const maxAttempts = 3

const lines = join(import.meta.dirname, '../results/guard.md')

/** Returns whether no ratio is above the bound. */
export async function runGuard(options: GuardOptions): Promise<boolean> {
  const missing = installNeeds(options.say)
  if (missing.has('Redis') || missing.has('PostgreSQL')) throw new Error('the guard needs Redis and PostgreSQL')
  const scenes = guardedScenes
    .map(({ product, loads }) => ({ product, loads: loads.filter(({ name }) => options.only.test(name)) }))
    .filter(({ loads }) => loads.length > 0)
  const revisions = findRevisions(options.base)
  options.progress('checking out the base')
  const checkout = checkOut(revisions.base)
  const upstream = await startUpstream(options.cacheFolder)
  const scene = { upstreamPort: upstream.port, loads: writeLoads(options.folder) }
  const comparisons: Comparison[] = []
  try {
    for (const each of scenes) comparisons.push(...(await compareScene(options, scene, each, checkout)))
  } finally {
    await upstream.stop()
  }
  const head = `${short(revisions.head)}${revisions.isChanged ? ' and changes' : ''}`
  const run = { date: new Date(), base: short(revisions.base), head, comparisons }
  report(run, options.say)
  if (comparisons.length === guardedScenes.flatMap(({ loads }) => loads).length) record(run, options.say)
  return !comparisons.some(isAbove)
}

/** Measures what is above the bound again, in new processes: two of the same code differ by several per cent. */
async function compareScene(
  options: GuardOptions,
  scene: Surroundings,
  { product, loads }: GuardedScene,
  checkout: string,
): Promise<Comparison[]> {
  const samples = new Map(loads.map(load => [load, [] as Costs[]]))
  const comparisons = () => [...samples].map(([{ name }, taken]) => summarise(name, taken))
  let left = loads
  for (let attempt = 1; attempt <= maxAttempts && left.length > 0; attempt++) {
    const taken = await measureScene(options, scene, { product, loads: left }, checkout)
    for (const [load, more] of taken) samples.get(load)!.push(...more)
    const above = new Set(
      comparisons()
        .filter(isAbove)
        .map(({ name }) => name),
    )
    left = loads.filter(({ name }) => above.has(name))
  }
  return comparisons()
}

/** Starts base, working tree and bare proxy, and takes the samples of an attempt of each load. */
async function measureScene(
  { cacheFolder, progress }: GuardOptions,
  scene: Surroundings,
  { product, loads }: GuardedScene,
  checkout: string,
): Promise<Map<GuardedLoad, Costs[]>> {
  const { stores, settings, ...rest } = product
  const { upstreamPort } = scene
  const common = { ...rest, upstreamPort, quantities: { ...quantities, ...(settings && { settings }) } }
  const start = stores === 'redis' ? startOnRedis : startEmbedded
  progress(`${product.name}, ${stores}: starting the base and the working tree`)
  const [base, head] = await Promise.all([start({ ...common, checkout }), start(common)])
  const bare = await references['bare Node proxy']!.start({ upstreamPort, cacheFolder, tokensFile: head.tokensFile })
  const compared = { base, head, bare }
  try {
    const taken = new Map<GuardedLoad, Costs[]>()
    for (const load of loads) taken.set(load, await takeSamples(scene, compared, load, progress))
    return taken
  } finally {
    await Promise.all(Object.values(compared).map(target => target.stop()))
  }
}

async function takeSamples(
  scene: Surroundings,
  compared: Compared,
  { name, mode, warmUp, sample }: GuardedLoad,
  progress: (line: string) => void,
): Promise<Costs[]> {
  progress(`${name}: warming up`)
  await takeSample(scene, compared, mode, warmUp)
  const samples: Costs[] = []
  for (let count = 1; count <= samplesOfAttempt; count++) {
    progress(`${name}: sample ${count} of ${samplesOfAttempt}`)
    samples.push(await takeSample(scene, compared, mode, sample))
  }
  return samples
}

function report(run: GuardRun, say: (line: string) => void): void {
  const cells = run.comparisons.map(({ name, base, head, bare, ratio }) => [
    name,
    bare.toFixed(1),
    base.toFixed(1),
    head.toFixed(1),
    ratio.toFixed(3),
    isAbove({ ratio }) ? 'FAILED' : 'pass',
  ])
  say(renderTable('CPU µs', ['bare proxy', `base ${run.base}`, 'head', 'head ÷ base', `≤ ${maxRatio}`], cells))
}

function record(run: GuardRun, say: (line: string) => void): void {
  if (!existsSync(lines)) writeFileSync(lines, `${title}${renderHead(run.comparisons.map(({ name }) => name))}`)
  appendFileSync(lines, renderLine(run))
  say('Added a line to bench/results/guard.md')
}

const title = `# Processor time of each change against its base

One line for each run of \`npm run bench -- --guard\`: the head's processor time of a request (of a
chunk, for streams) divided by the base's, and in brackets how many times the bare Node proxy's time
base and head take. A ratio above ${maxRatio} fails. See [docs/benchmarks.md](../../docs/benchmarks.md#guard).

`

function short(revision: string): string {
  return revision.slice(0, 8)
}
