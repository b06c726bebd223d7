// The operator's egress proxies: reads HTTPS_PROXY, HTTP_PROXY and NO_PROXY, and decides which requests go through one.
import { isIP } from 'node:net'
import { bareHost, readHost } from './policy.ts'
import { isInNetwork, type Network, readNetwork } from './public-address.ts'

export interface EgressProxy {
  protocol: 'http:' | 'https:'
  /** An address has no brackets. */
  hostname: string
  host: string
  port: string
  /** The value of Proxy-Authorization; null without credentials. */
  authorization: string | null
}

/** The content of NO_PROXY. */
export interface ProxyExceptions {
  isAll: boolean
  hosts: readonly { name: string; port: string | null }[]
  networks: readonly Network[]
}

export interface Proxies {
  https: EgressProxy | null
  http: EgressProxy | null
  exceptions: ProxyExceptions
}

export const noProxies: Proxies = { https: null, http: null, exceptions: { isAll: false, hosts: [], networks: [] } }

/** Null if the request goes directly. */
export function findProxy(url: URL, { https, http, exceptions }: Proxies): EgressProxy | null {
  const proxy = url.protocol === 'https:' ? https : http
  return proxy === null || isExcepted(url, exceptions) ? null : proxy
}

function isExcepted(url: URL, { isAll, hosts, networks }: ProxyExceptions): boolean {
  if (isAll) return true
  const host = url.hostname.replace(/\.$/, '')
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const matches = (name: string) => host === name || host.endsWith(`.${name}`)
  return hosts.some(one => matches(one.name) && (one.port ?? port) === port) || isInNetwork(bareHost(url), networks)
}

/** Parses an address such as `http://user:password@proxy:3128` or `proxy:3128`; null if it is malformed. */
export function readProxy(text: string): EgressProxy | null {
  const whole = text.includes('://') ? text : `http://${text}`
  if (!/^https?:\/\/[^/?#\\]+\/?$/i.test(whole) || !/^[!-~]+$/.test(whole)) return null
  const url = URL.parse(whole)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
  const authorization = readCredentials(url)
  if (authorization === undefined) return null
  const { protocol, host } = url
  const port = url.port || (protocol === 'https:' ? '443' : '80')
  return { protocol, hostname: bareHost(url), host, port, authorization }
}

/** Undefined if they are malformed. */
function readCredentials({ username, password }: URL): string | null | undefined {
  if (username === '' && password === '') return null
  try {
    const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    return `Basic ${Buffer.from(text).toString('base64')}`
  } catch {
    return undefined
  }
}

/** Parses a list of `*`, hosts, `.suffix`, host:port, addresses and networks; null if an entry is malformed. */
export function readProxyExceptions(text: string): ProxyExceptions | null {
  const entries = text.split(/[\s,]+/).filter(entry => entry !== '')
  const hosts: { name: string; port: string | null }[] = []
  const networks: Network[] = []
  for (const entry of entries) {
    if (entry === '*') continue
    const network = entry.includes('/') ? readNetwork(entry) : null
    const host = entry.includes('/') ? null : readException(entry)
    if (network !== null) networks.push(network)
    else if (host !== null) hosts.push(host)
    else return null
  }
  return { isAll: entries.includes('*'), hosts, networks }
}

/** A name stands for its subdomains, too, with or without a dot before it. */
function readException(entry: string): ProxyExceptions['hosts'][number] | null {
  const host = readHost(entry.replace(/^\*?\./, ''))
  if (host === null) return null
  const [, name = '', port = null] = /^(\[.*\]|[^:]*?)\.?(?::(\d+))?$/.exec(host) ?? []
  const isSuffixOfAddress = entry.startsWith('.') && isIP(name.replace(/^\[|\]$/g, '')) !== 0
  return name === '' || isSuffixOfAddress ? null : { name, port }
}
