// What the guard measures: each product under one or two loads, in process and on Redis.
import type { Mode } from '../load.ts'
import { forwarding, guarded, type MeasuredProduct, passThrough } from '../measured-products.ts'

export interface GuardedScene {
  product: MeasuredProduct
  loads: readonly GuardedLoad[]
}

export interface GuardedLoad {
  name: string
  mode: Mode
  /** How many requests, or KB of streams, warm each program up, and how many are a sample. */
  warmUp: number
  sample: number
}

const short = {
  mode: { name: '1 KB, 32 connections', kind: 'short', connections: 32 },
  warmUp: 20_000,
  sample: 6_000,
} as const
/** As many on the base as on the head: 256 together. More would not leave the core any idle time. */
const streams = {
  mode: { name: '128 paced streams', kind: 'paced', connections: 128 },
  warmUp: 5_000,
  sample: 5_000,
} as const

const inProcess: GuardedScene[] = [
  {
    product: passThrough,
    loads: [
      { name: 'completions', ...short },
      { name: 'streams', ...streams },
    ],
  },
  { product: forwarding[0]!, loads: [{ name: 'forwarding', ...short }] },
  { product: guarded, loads: [{ name: 'guarded', ...short }] },
]

const onRedis = inProcess.map(
  ({ product, loads }): GuardedScene => ({
    product: { ...product, stores: 'redis' },
    loads: loads.map(load => ({ ...load, name: `${load.name}, Redis` })),
  }),
)

export const guardedScenes: readonly GuardedScene[] = [...inProcess, ...onRedis]
