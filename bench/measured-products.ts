// The configurations of the product that several suites and the guard measure.
import { entityTypes } from '../server/src/domain/settings/settings.ts'
import type { EndpointName } from './endpoints.ts'
import type { ProductOptions } from './products.ts'
import type { Target } from './target.ts'

export interface MeasuredProduct {
  name: string
  about: string
  stores: 'embedded' | 'redis'
  answeredBy: NonNullable<ProductOptions['answeredBy']>
  /** `chat_completions` by default. */
  endpoint?: EndpointName
  settings?: Record<string, unknown>
  env?: Record<string, string>
  /** One process under several loads, each of them a target: its name and description follow the product's. */
  loads?: readonly ProductLoad[]
}

export interface ProductLoad extends Pick<Target, 'headers' | 'distinctPercent'> {
  name: string
  about: string
}

export const forwarding: MeasuredProduct[] = [
  {
    name: 'Sallyport, in process',
    about: 'the whole product in one process, embedded database and store',
    stores: 'embedded',
    answeredBy: 'forwarding',
  },
  {
    name: 'Sallyport, on Redis',
    about: 'the whole product in one process, PostgreSQL and Redis on the other core',
    stores: 'redis',
    answeredBy: 'forwarding',
  },
]

export const passThrough: MeasuredProduct = {
  name: 'Sallyport, OpenAI',
  about: "completions through the whole pipeline, memory off, the provider's own wire format",
  stores: 'embedded',
  answeredBy: 'openai',
}
export const translated: MeasuredProduct = {
  name: 'Sallyport, Anthropic',
  about: "the same, translated to and from Anthropic's wire format",
  stores: 'embedded',
  answeredBy: 'anthropic',
}
export const onRedis: MeasuredProduct = {
  ...passThrough,
  name: 'Sallyport, OpenAI, on Redis',
  about: "the provider's own wire format, PostgreSQL and Redis on the other core",
  stores: 'redis',
}
export const guarded: MeasuredProduct = {
  ...passThrough,
  name: 'Sallyport, guarded',
  about: 'the same with all ten types masked and Sentinel enforced',
  settings: {
    pii_mode: 'enforce',
    pii_entities: Object.fromEntries(entityTypes.map(type => [type, 'MASK'])),
    sentinel_mode: 'enforce',
    sentinel_blocklist: ['project nightingale', 'internal only'],
  },
}
