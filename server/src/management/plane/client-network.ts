// Whom failures of one client address are counted against. Knows addresses alone.

import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The address itself; of an IPv6 address the /64, which one subscriber has whole. */
export function clientNetwork(address: string): string {
  if (!isIPv6(address)) return address
  return `${ipaddr.IPv6.parse(address)
    .parts.slice(0, 4)
    .map(part => part.toString(16))
    .join(':')}::/64`
}
