// The suites of the bench: which products, which references, which loads, and which goals they must meet.
import type { Mode } from './load.ts'
import {
  forwarding,
  guarded,
  type MeasuredProduct,
  onRedis,
  type ProductLoad,
  passThrough,
  translated,
} from './measured-products.ts'
import { type Goal, type Measured, summarise } from './report.ts'
import { aloneName } from './target.ts'

export interface Suite {
  products: MeasuredProduct[]
  /** Its rounds are those of `--quick` by default. */
  isShort?: true
  /** The names in references.ts. */
  references: readonly string[]
  modes: Mode[]
  /** Bounds that the figures must meet. */
  judge(find: Finder): Goal[]
}

/** Finds a target's figures in a mode; undefined if it was not measured. */
type Finder = (target: string, mode: Mode) => ReturnType<typeof summarise> | undefined

const few: Mode = { name: '1 KB, 32 connections', kind: 'short', connections: 32 }
const many: Mode = { name: '1 KB, 256 connections', kind: 'short', connections: 256 }
const streams: Mode = { name: '256 paced streams', kind: 'paced', connections: 256, measuresHeads: true }

const oneByOne: Mode = {
  name: 'a new connection for each request',
  kind: 'short',
  connections: 32,
  closesConnections: true,
}
const newcomers: Mode = { name: '256 at once on a loaded process', kind: 'short', connections: 32, newcomers: 256 }

const endpoints: MeasuredProduct[] = [
  { ...passThrough, name: 'Sallyport, chat completions', about: `${passThrough.about}, as in the other suites` },
  {
    ...passThrough,
    name: 'Sallyport, messages',
    about: '/v1/messages to Anthropic, whose bytes pass in both directions',
    answeredBy: 'anthropic',
    endpoint: 'messages',
  },
  {
    ...passThrough,
    name: 'Sallyport, responses',
    about: '/v1/responses to OpenAI, whose bytes pass in both directions',
    endpoint: 'responses',
  },
  {
    ...passThrough,
    name: 'Sallyport, embeddings',
    about: '/v1/embeddings to OpenAI, a vector of 256 numbers',
    answeredBy: 'openai_vectors',
    endpoint: 'embeddings',
  },
]
const peers = ['Portkey', 'LiteLLM', 'agentgateway']
const cacheUse = 'X-Sallyport-Cache: use'
const cacheLoads = {
  none: { name: 'no cache', about: 'requests that do not use the cache', headers: [] },
  misses: {
    name: 'misses',
    about: 'each request is another one: it is looked up, and its answer is kept',
    headers: [cacheUse],
    distinctPercent: 100,
  },
  half: {
    name: 'half hits',
    about: 'every other request is one that its user has sent before',
    headers: [cacheUse],
    distinctPercent: 50,
  },
  hits: { name: 'hits', about: 'every request is one that its user has sent before', headers: [cacheUse] },
} satisfies Record<string, ProductLoad>
const caching: MeasuredProduct[] = [passThrough, onRedis].map(product => ({
  ...product,
  name: product.stores === 'redis' ? 'Sallyport, on Redis' : 'Sallyport, in process',
  settings: { cache: { ttl_seconds: 86_400 } },
  // No answer is dropped during a run.
  env: { ANSWER_CACHE_MB: '1024' },
  loads: Object.values(cacheLoads),
}))
const cacheMode: Mode = { ...few, showsHits: true }

export const suites: Record<string, Suite> = {
  gateway: {
    products: forwarding,
    references: ['nginx', 'HAProxy', 'bare Node proxy', 'Portkey'],
    modes: [few, many, streams],
    judge: find => [
      ...[few, many].flatMap(mode => [
        ...rates(find, mode, 'Sallyport, in process', [
          ['nginx', 0.4],
          ['Portkey', 8],
        ]),
        ...rates(find, mode, 'Sallyport, on Redis', [['nginx', 0.3]]),
      ]),
      ...forwarding.flatMap(({ name }) => [
        ...most(`${few.name}: ${name} ÷ nginx, p99`, find(name, few)?.p99Ms, find('nginx', few)?.p99Ms, 3),
        ...most(
          `${streams.name}: ${name} ÷ nginx, CPU per chunk`,
          find(name, streams)?.cpuMicros,
          find('nginx', streams)?.cpuMicros,
          2,
        ),
      ]),
    ],
  },
  completions: {
    products: [passThrough, translated, onRedis],
    references: ['nginx', 'bare Node proxy'],
    modes: [few, many, streams],
    judge: find => [
      ...[few, many].flatMap(mode =>
        [passThrough, translated, onRedis].flatMap(({ name }) => rates(find, mode, name, [['nginx', 0.3]])),
      ),
      ...[few, many].flatMap(mode => [
        ...besideBareNode(find, mode, passThrough.name, { cpu: 1.25, p99: 1.5 }),
        ...besideBareNode(find, mode, onRedis.name, { cpu: 1.4 }),
      ]),
      ...above(find, streams, passThrough.name, 8),
      ...above(find, streams, translated.name, 25),
    ],
  },
  endpoints: {
    products: endpoints,
    references: ['nginx'],
    modes: [few, streams],
    judge: find =>
      endpoints.flatMap(({ name }) =>
        rates(find, few, name, [
          ['nginx', null],
          ['Sallyport, chat completions', null],
        ]),
      ),
  },
  connections: {
    products: [passThrough, onRedis],
    references: ['nginx', 'bare Node proxy'],
    modes: [oneByOne, newcomers],
    judge: find =>
      [passThrough, onRedis].flatMap(({ name }) => [
        ...rates(find, oneByOne, name, [
          ['nginx', null],
          ['bare Node proxy', null],
        ]),
        ...most(
          `${newcomers.name}: ${name} ÷ bare Node proxy, longest wait`,
          find(name, newcomers)?.worstHeadMs,
          find('bare Node proxy', newcomers)?.worstHeadMs,
          1,
        ),
      ]),
  },
  peers: {
    products: [passThrough, guarded],
    references: ['nginx', 'HAProxy', 'bare Node proxy', ...peers],
    modes: [few, many, streams],
    judge: find =>
      [few, many].flatMap(mode => [
        ...[passThrough, guarded].flatMap(({ name }) =>
          rates(
            find,
            mode,
            name,
            peers.map(peer => [peer, null]),
          ),
        ),
        ...besideBareNode(find, mode, passThrough.name, { cpu: 1.25, p99: 1.5 }),
        ...besideBareNode(find, mode, guarded.name, { cpu: 1.6, p99: 1.5 }),
      ]),
  },
  guardrails: {
    products: [passThrough, guarded],
    references: ['nginx'],
    modes: [few, streams],
    judge: find => [
      ...rates(find, few, guarded.name, [
        [passThrough.name, null],
        ['nginx', null],
      ]),
    ],
  },
  cache: { products: caching, references: ['nginx'], modes: [cacheMode], isShort: true, judge: judgeCache },
}

/** Whether each load had the hits that it should have, and what they gain. */
function judgeCache(find: Finder): Goal[] {
  return caching.flatMap(({ name }) => {
    const nameOf = (load: ProductLoad) => `${name}, ${load.name}`
    const shares = [cacheLoads.none, cacheLoads.misses, cacheLoads.half, cacheLoads.hits].flatMap(
      (load, at): Goal[] => {
        const own = find(nameOf(load), cacheMode)
        const wanted = [0, 0, 50, 100][at] ?? 0
        if (own === undefined) return []
        const met = Math.abs(own.hitPercent - wanted) <= hitTolerance
        const words = `${nameOf(load)}, hits in percent`
        return [{ words, reached: own.hitPercent, wanted: `${wanted} ± ${hitTolerance}`, met, isBinding: true }]
      },
    )
    const others = [cacheLoads.none, cacheLoads.misses].map((load): [string, null] => [nameOf(load), null])
    return [...shares, ...rates(find, cacheMode, nameOf(cacheLoads.hits), others)]
  })
}

const hitTolerance = 2

export function judge(suite: Suite, measured: readonly Measured[]): Goal[] {
  const find: Finder = (target, mode) => {
    const found = measured.find(each => each.target === target && each.mode === mode)
    return found && summarise(found)
  }
  return [...suite.judge(find), ...suite.products.flatMap(({ name }) => streamed(find, name))]
}

const minChunkShare = 0.95
const maxHeadMs = 250

/** Two goals that fail if a stream waits until others end: its head is late, and its chunks are missing. */
function streamed(find: Finder, name: string): Goal[] {
  const [own, alone] = [find(name, streams), find(aloneName, streams)]
  if (own === undefined || alone === undefined) return []
  const share = own.chunksPerSecond / alone.chunksPerSecond
  return [
    {
      words: `${streams.name}: ${name} ÷ ${aloneName}, chunks/s`,
      reached: share,
      wanted: `≥ ${minChunkShare}`,
      met: share >= minChunkShare,
      isBinding: true,
    },
    {
      words: `${streams.name}, all begun at once: ${name}, worst head in ms`,
      reached: own.worstHeadMs,
      wanted: `≤ ${maxHeadMs}`,
      met: own.worstHeadMs <= maxHeadMs,
      isBinding: true,
    },
  ]
}

/** Without a bound the figure is only reported. */
function rates(find: Finder, mode: Mode, name: string, others: ReadonlyArray<[string, number | null]>): Goal[] {
  return others.flatMap(([other, bound]) => {
    const [own, theirs] = [find(name, mode)?.requestsPerSecond, find(other, mode)?.requestsPerSecond]
    if (own === undefined || !theirs) return []
    const reached = own / theirs
    const wanted = bound === null ? 'nothing' : `≥ ${bound}`
    const words = `${mode.name}: ${name} ÷ ${other}, req/s`
    return [{ words, reached, wanted, met: bound === null || reached >= bound, isBinding: false }]
  })
}

function most(words: string, own: number | undefined, other: number | undefined, bound: number): Goal[] {
  if (own === undefined || !other) return []
  return [{ words, reached: own / other, wanted: `≤ ${bound}`, met: own / other <= bound, isBinding: false }]
}

/** The bounds are multiples of what the minimal proxy on the same runtime needs. */
function besideBareNode(find: Finder, mode: Mode, name: string, bounds: { cpu: number; p99?: number }): Goal[] {
  const [own, bare] = [find(name, mode), find('bare Node proxy', mode)]
  const words = `${mode.name}: ${name} ÷ bare Node proxy`
  return [
    ...most(`${words}, CPU per request`, own?.cpuMicros, bare?.cpuMicros, bounds.cpu),
    ...(bounds.p99 === undefined ? [] : most(`${words}, p99`, own?.p99Ms, bare?.p99Ms, bounds.p99)),
  ]
}

function above(find: Finder, mode: Mode, name: string, bound: number): Goal[] {
  const [own, bare] = [find(name, mode)?.cpuMicros, find('bare Node proxy', mode)?.cpuMicros]
  if (own === undefined || bare === undefined) return []
  const reached = own - bare
  const words = `${mode.name}: ${name} above the bare Node proxy, CPU µs per chunk`
  return [{ words, reached, wanted: `≤ ${bound}`, met: reached <= bound, isBinding: false }]
}
