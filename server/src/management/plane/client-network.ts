// Returns the network by which failures of a client address are counted.

import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An IPv4 address itself; the /64 of an IPv6 address, because one subscriber has all addresses of a /64. */
export function clientNetwork(address: string): string {
  if (!isIPv6(address)) return address
  return `${ipaddr.IPv6.parse(address)
    .parts.slice(0, 4)
    .map(part => part.toString(16))
    .join(':')}::/64`
}
