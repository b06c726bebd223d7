// Selects which of a project's two names a zone contains.
import { DnsFailure } from './dns-failure.ts'
import type { HostNames } from './driver.ts'

/** `zone` in lower case, without a final dot. Throws if the zone does not contain the public name. */
export function coveredNames(zone: string, hosts: HostNames): string[] {
  if (!isInside(zone, hosts.public)) {
    throw new DnsFailure(
      'outside_zone',
      `The name ${hosts.public} is outside the DNS zone ${zone}: PUBLIC_DOMAIN must be the zone or a subdomain of it.`,
    )
  }
  // A project is still reachable by its public name without the internal one.
  return [...new Set([hosts.public, hosts.internal])].filter(name => isInside(zone, name))
}

function isInside(zone: string, name: string): boolean {
  return name.endsWith(`.${zone}`)
}
