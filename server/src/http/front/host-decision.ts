// Decides from the Host header and the path whom a request is for: management, one project, or nobody we know.
// Pure; knows no projects: whether a slug exists is the gateway's question.
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
  /** Another service of ours, by the shared secret, under whatever name it reaches us. */
  | { kind: 'internal' }
  | { kind: 'unknown' }

export interface HostDecider {
  (hostName: string, path: string, isInternal: boolean): HostDecision
  /** By the Host header as it came: found in one look where it came before. Null where it names no host. */
  byHeader(header: string, path: string, isInternal: boolean): HostDecision | null
}

interface Standing {
  isManagement: boolean
  /** Of the project whose own host it is. */
  slug: string | null
}

const hostGrammar = /^(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9_.-]{1,254}))(?::([0-9]{1,5}))?$/
const labelGrammar = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
const slugGrammar = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const pathForm = /^\/p\/([a-z0-9-]{1,63})(\/v1(?:\/.*)?)$/
/** Answered on the management host and on every project's. */
export const keySetPath = '/.well-known/jwks.json'

/** The same hosts are named again and again. */
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

  function standingOf(hostName: string): Standing {
    const isManagement = hostName === managementName || (isManagedLocally && isLoopbackAddress(hostName))
    return { isManagement, slug: isManagement || domains.includes(hostName) ? null : findSlug(hostName, domains) }
  }

  function decideBy({ isManagement, slug }: Standing, path: string, isInternal: boolean): HostDecision {
    if (slug !== null) return path === keySetPath ? { kind: 'management' } : { kind: 'project', slug, path }
    if (!isManagement && !isInternal) return { kind: 'unknown' }
    // Another service of ours names a project by path too: it reaches us under a name that is nobody's host.
    const project = pathForm.exec(path)
    if (project) return { kind: 'project', slug: project[1]!, path: project[2]! }
    return { kind: isInternal ? 'internal' : 'management' }
  }

  const standingByName = memoize(standingOf)
  const standingByHeader = memoize(header => {
    const host = readHostName(header)
    return host && standingOf(host.name)
  })
  const decide = (hostName: string, path: string, isInternal: boolean) =>
    decideBy(standingByName(hostName), path, isInternal)
  return Object.assign(decide, {
    byHeader(header: string, path: string, isInternal: boolean) {
      const standing = standingByHeader(header)
      return standing && decideBy(standing, path, isInternal)
    },
  })
}

/** The one label in front of a project domain. */
function findSlug(hostName: string, domains: readonly string[]): string | null {
  const dot = hostName.indexOf('.')
  const label = hostName.slice(0, Math.max(dot, 0))
  return slugGrammar.test(label) && domains.includes(hostName.slice(dot + 1)) ? label : null
}

function isLoopbackAddress(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'))
}
