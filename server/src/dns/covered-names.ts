// Which of a project's two names a zone holds. Knows names alone.
import { DnsFailure } from './dns-failure.ts'
import type { HostNames } from './driver.ts'

/** `zone` in lower case, without a dot at its end. Throws where the zone does not hold the public name. */
export function coveredNames(zone: string, hosts: HostNames): string[] {
  if (!isInside(zone, hosts.public)) {
    throw new DnsFailure(
      'outside_zone',
      `The name ${hosts.public} is outside the DNS zone ${zone}: PUBLIC_DOMAIN must be the zone or lie in it.`,
    )
  }
  // Without the internal name a project is reached by its public one all the same.
  return [...new Set([hosts.public, hosts.internal])].filter(name => isInside(zone, name))
}

function isInside(zone: string, name: string): boolean {
  return name.endsWith(`.${zone}`)
}
