// Finds the client's address behind trusted proxies. Follows X-Forwarded-For only as far as each hop that added to it
// is trusted; otherwise returns the socket's address.
import { BlockList, isIP } from 'node:net'
import { memoize } from '../../collections/bounded-memo.ts'

export type ClientAddressReader = (
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  isInternal?: boolean,
) => string

export function createClientAddressReader(trustedProxies: readonly string[]): ClientAddressReader {
  const trusted = listRanges(trustedProxies)

  return (socketAddress, forwardedFor, isInternal = false) => {
    let address = withoutMapping(socketAddress ?? '')
    // Our own gateway wrote the first hop; a proxy between it and this process may have added others.
    const [first = ''] = isInternal ? (forwardedFor ?? '').split(',', 1) : []
    if (isIP(withoutMapping(first.trim())) !== 0) return withoutMapping(first.trim())
    if (trustedProxies.length === 0 || forwardedFor === undefined) return address
    const hops = forwardedFor.split(',').map(hop => withoutMapping(hop.trim()))
    while (hops.length > 0 && isListed(trusted, address)) {
      const previous = hops.pop()!
      if (isIP(previous) === 0) break
      address = previous
    }
    return address
  }
}

/** Headers that proxies add: behind a proxy on this machine every request would come from loopback. */
const forwardedBy = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via']

export function isForwarded(headers: Readonly<Record<string, unknown>>): boolean {
  return forwardedBy.some(name => headers[name] !== undefined)
}

/** Whether an address belongs to this machine or to a proxy that the operator trusts. */
export function createNeighbourCheck(trustedProxies: readonly string[]): (address: string) => boolean {
  const trusted = listRanges([...trustedProxies, '127.0.0.0/8', '::1'])
  return address => isListed(trusted, address)
}

function listRanges(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

function isListed(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/**
 * Turns `::ffff:192.0.2.1`, as dual-stack sockets report it, into 192.0.2.1. A memo: a proxy has the same address for
 * all its requests.
 */
const withoutMapping = memoize(address => {
  const mapped = /^::ffff:([0-9.]+)$/i.exec(address)
  return mapped && isIP(mapped[1]!) === 4 ? mapped[1]! : address
})
