// Checks by its form alone where a tenant's address may lead. Must not resolve names: resolved addresses are checked at
// connect time, with `mayConnect`.
import { isIP } from 'node:net'
import { isInNetwork, isPublicAddress, type Network, readNetwork } from './public-address.ts'

/** The content of OUTBOUND_ALLOW. */
export interface OutboundAllow {
  /** `host` or `host:port`, as the URL standard writes them. */
  hosts: ReadonlySet<string>
  networks: readonly Network[]
}

export type FormRefusal =
  | 'not_a_url'
  | 'too_long'
  | 'scheme'
  | 'port'
  | 'user_info'
  | 'query'
  | 'fragment'
  | 'path'
  | 'address'
  | 'name'

export type FormVerdict = { ok: true; url: URL } | { ok: false; reason: FormRefusal }

const maxLength = 2048
const ports = new Set(['', '443', '8443'])

/** All rules, for an address that is to be stored. */
export function checkAddressForm(text: string, allow: OutboundAllow): FormVerdict {
  const reason = text.length > maxLength ? 'too_long' : refuseText(text)
  if (reason) return { ok: false, reason }
  const url = URL.parse(text)
  if (!url) return { ok: false, reason: 'not_a_url' }
  const refusal = checkOrigin(url, allow)
  return refusal ? { ok: false, reason: refusal } : { ok: true, url }
}

/** The rules of scheme, port and host, which hold for every request regardless of its path and query. */
export function checkOrigin(url: URL, allow: OutboundAllow): FormRefusal | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'scheme'
  if (url.username || url.password) return 'user_info'
  if (isListed(url, allow)) return null
  if (url.protocol !== 'https:') return 'scheme'
  if (!ports.has(url.port)) return 'port'
  if (isLiteral(url)) return isPublicAddress(bareHost(url)) ? null : 'address'
  return isPublicName(url.hostname) ? null : 'name'
}

/** Whether a connection for this URL may be made to this address. */
export function mayConnect(url: URL, address: string, allow: OutboundAllow): boolean {
  return isPublicAddress(address) || isInNetwork(address, allow.networks) || isListedHost(url, allow)
}

/** Parses OUTBOUND_ALLOW; throws an Error with a message for the operator. */
export function parseOutboundAllow(text: string | undefined): OutboundAllow {
  const hosts = new Set<string>()
  const networks: Network[] = []
  for (const entry of (text ?? '').split(',').map(part => part.trim())) {
    if (entry === '') continue
    const network = entry.includes('/') ? readNetwork(entry) : null
    const host = entry.includes('/') ? null : readHost(entry)
    if (network) networks.push(network)
    else if (host) hosts.add(host)
    else throw new Error(`OUTBOUND_ALLOW: "${entry}" is not a host, a host:port or a CIDR`)
  }
  return { hosts, networks }
}

/** Returns `host` or `host:port`, as the URL standard writes them; null if the entry is malformed. */
export function readHost(entry: string): string | null {
  if (isIP(entry) === 6) return readHost(`[${entry}]`)
  const [, name, port] = /^(\[[0-9a-fA-F:.]+\]|[^\s:/?#@[\]\\*%]+?)(?::(\d{1,5}))?$/.exec(entry) ?? []
  const host = name === undefined ? undefined : URL.parse(`http://${name}/`)?.hostname
  if (!host || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return null
  return port === undefined ? host : `${host}:${Number(port)}`
}

function isListed(url: URL, allow: OutboundAllow): boolean {
  return isListedHost(url, allow) || isInNetwork(bareHost(url), allow.networks)
}

function isListedHost(url: URL, allow: OutboundAllow): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return allow.hosts.has(url.hostname) || allow.hosts.has(`${url.hostname}:${port}`)
}

/** True if the host is an address: the URL parser has converted every notation to the one that isIP accepts. */
export function isLiteral(url: URL): boolean {
  return isIP(bareHost(url)) !== 0
}

/** An address without its brackets. */
export function bareHost(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
}

// ── The text as written ──────────────────────────────────────────────────────────────────────────────────────────────
// The URL parser repairs much (backslashes, tabs, `https:host`, dot segments). Two parsers may read such a text
// differently, so it is rejected before it is repaired.

function refuseText(text: string): FormRefusal | null {
  const [, scheme, authority = '', rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#\\]*)(.*)$/is.exec(text) ?? []
  if (scheme === undefined) return 'not_a_url'
  if (!/^https?$/i.test(scheme)) return 'scheme'
  if (/[\p{C}\p{Z}\\]/u.test(text) || authority === '') return 'not_a_url'
  if (authority.includes('@')) return 'user_info'
  if (rest.includes('#')) return 'fragment'
  if (rest.includes('?')) return 'query'
  return hasOddPath(rest) ? 'path' : null
}

function hasOddPath(path: string): boolean {
  if (/%(?:2f|5c|7f|[01][0-9a-f])/i.test(path)) return true
  const segments = path.split('/').slice(1)
  return segments.some((segment, index) => {
    if (segment === '') return index < segments.length - 1
    return /^\.{1,2}$/.test(segment.replace(/%2e/gi, '.'))
  })
}

// ── Names ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Special-use and customary private suffixes; a single label is always private. */
const privateSuffixes = new Set(
  `localhost localdomain local internal intranet private corp home lan domain workgroup arpa test example invalid onion
   alt i2p svc consul nomad docker kube cluster metadata.goog`.split(/\s+/),
)

function isPublicName(host: string): boolean {
  const labels = host.split('.')
  if (host.length > 253 || labels.length < 2 || !labels.every(part => label.test(part))) return false
  return !labels.some((_, index) => privateSuffixes.has(labels.slice(index).join('.')))
}
