// Creates the DNS driver that DNS_PROVIDER selects. A new driver is one file in this folder and one line here.
import type { Outbound } from '../outbound/outbound.ts'
import { type CloudflareSettings, createCloudflareDriver } from './cloudflare.ts'
import type { DnsDriver } from './driver.ts'
import { createRfc2136Driver, type Rfc2136Settings } from './rfc2136.ts'
import { createRoute53Driver, type Route53Settings } from './route53.ts'

export type DnsSettings =
  | { provider: 'none' }
  | ({ provider: 'rfc2136' } & Rfc2136Settings)
  | ({ provider: 'cloudflare' } & CloudflareSettings)
  | ({ provider: 'route53' } & Route53Settings)

/**
 * Describes the names, their target and their provider; the text changes when the names must be registered again. Null
 * if the driver registers none.
 */
export function describeNames(settings: DnsSettings, { publicDomain, internalDomain }: Domains): string | null {
  if (settings.provider === 'none') return null
  const { provider, target } = settings
  const zone = provider === 'rfc2136' ? settings.zone : settings.zoneId
  return [provider, zone, target.type, target.target, publicDomain, internalDomain].join(' ')
}

interface Domains {
  publicDomain: string
  internalDomain: string
}

interface DnsDriverDependencies {
  outbound: Pick<Outbound, 'send'>
  now: () => number
}

export function createDnsDriver(settings: DnsSettings, { outbound, now }: DnsDriverDependencies): DnsDriver {
  switch (settings.provider) {
    case 'none':
      // A wildcard record covers every future name.
      return { register: async () => undefined, remove: async () => undefined }
    case 'rfc2136':
      return createRfc2136Driver(settings, now)
    case 'cloudflare':
      return createCloudflareDriver(settings, outbound)
    case 'route53':
      return createRoute53Driver(settings, outbound, now)
  }
}
