// Starts the upstream, the references and the products of a run.
import { cpus } from 'node:os'
import { join } from 'node:path'
import { writeLoads } from './endpoints.ts'
import type { Scene } from './load.ts'
import type { ProductLoad } from './measured-products.ts'
import { loadCore, measuredCoresFor } from './process.ts'
import { startEmbedded, startOnRedis } from './products.ts'
import type { Quantities } from './provision.ts'
import { describeUpstream, references, type Surroundings } from './references/references.ts'
import type { Suite } from './suites.ts'
import { isProduct, type Target } from './target.ts'
import { startUpstream } from './upstream.ts'

export interface StartOptions {
  suite: Suite
  quantities: Quantities
  /** For files of this run. */
  folder: string
  /** For programs that later runs use again. */
  cacheFolder: string
  /** Names of needs that could not be installed. */
  missing: ReadonlySet<string>
  isWanted: (name: string) => boolean
  /** Of each product. */
  processes: number
  /** Writes CPU profiles of the products. */
  profile: boolean
  /** Hosts and tokens for runs without a product. */
  plainTokensFile: string
  closers: Array<() => Promise<void>>
  progress: (line: string) => void
  note: (line: string) => void
}

export async function startTargets(options: StartOptions): Promise<{ scene: Scene; targets: Target[] }> {
  const { suite, cacheFolder, closers } = options
  const upstream = await startUpstream(cacheFolder)
  closers.push(() => upstream.stop())
  const pids = [upstream.pid]
  const own: Target[] = []
  for (const { name, need, start, loads } of productStarters(options, upstream.port)) {
    const started = await startOne(options, pids, name, need, start)
    own.push(...(loads === undefined ? started : started.flatMap(target => underLoads(target, loads))))
  }
  const tokensFile = own[0]?.tokensFile ?? options.plainTokensFile
  const around: Surroundings = { upstreamPort: upstream.port, cacheFolder, tokensFile }
  const others: Target[] = []
  for (const name of suite.references) {
    const { need, start } = references[name]!
    others.push(...(await startOne(options, pids, name, need, () => start(around))))
  }
  options.progress('')
  const cores = [...measuredCoresFor(options.processes, cpus().length), loadCore]
  const scene = { upstream, pids, cores, loads: writeLoads(options.folder) }
  return { scene, targets: [describeUpstream(around), ...others, ...own] }
}

type Started = Target & { storePids?: number[] }

function productStarters(options: StartOptions, upstreamPort: number) {
  const { suite, quantities, processes, profile, cacheFolder } = options
  const nodeArgs = profile ? ['--cpu-prof', `--cpu-prof-dir=${join(cacheFolder, 'profiles')}`] : []
  return suite.products.map(product => {
    const { stores, settings, loads, ...rest } = product
    const wanted = settings === undefined ? quantities : { ...quantities, settings }
    const productOptions = { ...rest, upstreamPort, quantities: wanted, nodeArgs, processes }
    const start = (): Promise<Started> =>
      stores === 'redis' ? startOnRedis(productOptions) : startEmbedded(productOptions)
    return { name: product.name, need: stores === 'redis' ? ['Redis', 'PostgreSQL'] : [], start, loads }
  })
}

/** A cached stream comes at once, so these targets are no streaming ones. */
function underLoads(target: Target, loads: readonly ProductLoad[]): Target[] {
  return loads.map(({ name, about, ...load }) => ({
    ...target,
    ...load,
    name: `${target.name}, ${name}`,
    about: `${target.about}; ${about}`,
    streams: false,
  }))
}

async function startOne(
  { missing, isWanted, closers, progress, note }: StartOptions,
  pids: number[],
  name: string,
  need: readonly string[],
  start: () => Promise<Started>,
): Promise<Target[]> {
  if (!isWanted(name)) return []
  const lacking = need.filter(each => missing.has(each))
  if (lacking.length > 0) {
    note(`${name}: no ${lacking.join(', ')} here`)
    return []
  }
  progress(`starting ${name}`)
  try {
    const target = await start()
    closers.push(() => target.stop())
    pids.push(...(target.pid === null ? [] : [target.pid]), ...(target.storePids ?? []))
    return [target]
  } catch (error) {
    // The product must start; a reference that cannot (no registry, an older machine) is skipped and reported.
    if (isProduct({ name })) throw error
    note(`${name}: ${String(error).split('\n')[0]}`)
    return []
  }
}
