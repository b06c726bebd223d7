// Decides which IP addresses are public hosts, by an allow rule: global unicast, less every special-purpose block.
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

// A public address that reaches the cloud host itself (Azure's wire server).
const cloudDoors = new Set(['168.63.129.16'])

/** True for a public unicast address in its canonical notation; false for everything else, including invalid text. */
export function isPublicAddress(address: string): boolean {
  // isIP first: ipaddr.js also accepts octal and short forms, which a resolver never returns.
  if (isIP(address) === 0 || address.includes('%') || cloudDoors.has(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast)
}

export function isInNetwork(address: string, networks: readonly Network[]): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false
  const parsed = ipaddr.parse(address)
  return networks.some(([base, bits]) => parsed.kind() === base.kind() && parsed.match(base, bits))
}

/** Null if the text is not a CIDR block in canonical notation. */
export function readNetwork(text: string): Network | null {
  const [base = '', bits = '', ...rest] = text.split('/')
  const family = isIP(base)
  if (family === 0 || base.includes('%') || rest.length > 0 || !/^\d{1,3}$/.test(bits)) return null
  return Number(bits) > (family === 4 ? 32 : 128) ? null : [ipaddr.parse(base), Number(bits)]
}
