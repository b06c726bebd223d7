// Decides from the Host header and the path where a request goes: management, one project, or an unknown host. Does not
// check whether a project exists.
import { isIPv4, isIPv6 } from 'node:net'
import { memoize } from '../../collections/bounded-memo.ts'

export interface HostConfig {
  baseUrl: string
  publicDomain: string
  internalDomain: string
}

export interface HostName {
  /** Lower case, without the trailing dot; an IPv6 address in brackets, in its short form. */
  name: string
  port: number | null
}

export type HostDecision =
  | { kind: 'management' }
  /** `path` is the project's own path, the `/p/{slug}` of the path form taken off. */
  | { kind: 'project'; slug: string; path: string }
  /** Another service of ours, recognised by the shared secret under any host name. */
  | { kind: 'internal' }
  | { kind: 'unknown' }

export interface HostDecider {
  (hostName: string, path: string, isInternal: boolean): HostDecision
  /** Decides by the raw Host header, which a memo knows after its first use. Returns null for an invalid host name. */
  byHeader(header: string, path: string, isInternal: boolean): HostDecision | null
}

interface HostOwner {
  isManagement: boolean
  /** The slug of the project that has this host; null for other hosts. */
  slug: string | null
}

const hostGrammar = /^(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9_.-]{1,254}))(?::([0-9]{1,5}))?$/
const labelGrammar = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
const slugGrammar = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const pathForm = /^\/p\/([a-z0-9-]{1,63})(\/v1(?:\/.*)?)$/
/** Served on the management host and on every project's host. */
export const keySetPath = '/.well-known/jwks.json'

/** A memo, since few hosts recur. */
export const parseHost = memoize(readHostName)

function readHostName(value: string): HostName | null {
  const match = hostGrammar.exec(value)
  if (!match) return null
  const [, address, registered, digits] = match
  const port = digits === undefined ? null : Number(digits)
  if (port !== null && port > 65_535) return null
  const name = address === undefined ? readRegisteredName(registered!) : readAddress(address)
  return name === null ? null : { name, port }
}

function readAddress(address: string): string | null {
  return isIPv6(address) ? new URL(`http://[${address}]`).hostname : null
}

function readRegisteredName(registered: string): string | null {
  const name = registered.toLowerCase().replace(/\.$/, '')
  return name.length <= 253 && name.split('.').every(label => labelGrammar.test(label)) ? name : null
}

export function createHostDecider(config: HostConfig): HostDecider {
  const managementName = new URL(config.baseUrl).hostname.replace(/\.$/, '')
  const isManagedLocally = isLoopbackAddress(managementName) || managementName.endsWith('.localhost')
  const domains = [config.internalDomain, config.publicDomain].map(domain => domain.toLowerCase().replace(/\.$/, ''))

  function findOwner(hostName: string): HostOwner {
    const isManagement = hostName === managementName || (isManagedLocally && isLoopbackAddress(hostName))
    return { isManagement, slug: isManagement || domains.includes(hostName) ? null : findSlug(hostName, domains) }
  }

  function decideBy({ isManagement, slug }: HostOwner, path: string, isInternal: boolean): HostDecision {
    if (slug !== null) return path === keySetPath ? { kind: 'management' } : { kind: 'project', slug, path }
    if (!isManagement && !isInternal) return { kind: 'unknown' }
    // Our other services name projects by path: they reach us under a name that is not a configured host.
    const project = pathForm.exec(path)
    if (project) return { kind: 'project', slug: project[1]!, path: project[2]! }
    return { kind: isInternal ? 'internal' : 'management' }
  }

  const ownerByName = memoize(findOwner)
  const ownerByHeader = memoize(header => {
    const host = readHostName(header)
    return host && findOwner(host.name)
  })
  const decide = (hostName: string, path: string, isInternal: boolean) =>
    decideBy(ownerByName(hostName), path, isInternal)
  return Object.assign(decide, {
    byHeader(header: string, path: string, isInternal: boolean) {
      const owner = ownerByHeader(header)
      return owner && decideBy(owner, path, isInternal)
    },
  })
}

/** The single label before a project domain. */
function findSlug(hostName: string, domains: readonly string[]): string | null {
  const dot = hostName.indexOf('.')
  const label = hostName.slice(0, Math.max(dot, 0))
  return slugGrammar.test(label) && domains.includes(hostName.slice(dot + 1)) ? label : null
}

function isLoopbackAddress(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'))
}
