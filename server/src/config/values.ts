// The kinds of values a variable can have: parses the text, and describes invalid text by a rule that completes the
// sentence "NAME must be …".
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import { z } from 'zod'
import { findPublicJwks, findRsaPrivateKey } from '../crypto/keys/signing-key.ts'
import { parseModelId } from '../domain/model-id.ts'
import { isProvider } from '../domain/provider.ts'
import { normalizeOrigin } from '../domain/settings/cors-origin.ts'
import { parseOutboundAllow } from '../outbound/policy.ts'
import { readProxy, readProxyExceptions } from '../outbound/proxies.ts'

/** Null means that the text breaks the rule. Only kinds that never hold a secret quote the text. */
function value<T>(rule: string, find: (text: string) => T | null, quotes: 'quoted' | 'unquoted' = 'unquoted') {
  return z.string().transform((text, context): T => {
    const found = find(text)
    if (found !== null) return found
    const given = quotes === 'quoted' ? `, not ${JSON.stringify(text.slice(0, 40))}` : ''
    context.addIssue({ code: 'custom', message: `must be ${rule}${given}` })
    return z.NEVER
  })
}

export const anyText = value('text', text => text)

export function integer(min: number, max: number) {
  return value(`a whole number from ${min} to ${max}`, text => findNumber(text, /^\d{1,12}$/, min, max), 'quoted')
}

const maxProcesses = 64

export const processes = value(
  `auto, or a whole number from 1 to ${maxProcesses}`,
  text =>
    text === 'auto' ? Math.min(availableParallelism(), maxProcesses) : findNumber(text, /^\d{1,2}$/, 1, maxProcesses),
  'quoted',
)

/** Variables are in seconds, the program uses milliseconds. */
export function seconds(min: number, max: number) {
  const find = (text: string) => {
    const found = findNumber(text, /^\d{1,9}(\.\d{1,6})?$/, min, max)
    return found === null ? null : Math.round(found * 1000)
  }
  return value(`a number of seconds from ${min} to ${max}`, find, 'quoted')
}

/** Variables are in dollars, the program uses nano-dollars. */
export const nanoUsd = value(
  'a number of US dollars from 0.000001 to 1000000',
  text => {
    const found = findNumber(text, /^\d{1,7}(\.\d{1,6})?$/, 0.000001, 1_000_000)
    return found === null ? null : Math.round(found * 1_000_000_000)
  },
  'quoted',
)

export function oneOf<const T extends string>(words: readonly T[]) {
  const find = (text: string) => words.find(word => word === text.toLowerCase()) ?? null
  return value(`one of ${words.join(', ')}`, find, 'quoted')
}

/** A comma-separated list of words; `all` stands for every one of them. */
export function wordSet<const T extends string>(words: readonly T[]) {
  const find = (text: string) => {
    const given = listOf(text).map(word => word.toLowerCase())
    if (given.length === 0 || given.some(word => word !== 'all' && !words.some(known => known === word))) return null
    return new Set(given.includes('all') ? words : words.filter(word => given.includes(word)))
  }
  return value(`all, or a comma list of ${words.join(', ')}`, find, 'quoted')
}

export const domainName = value('a domain name without scheme, port or path', findDomainName, 'quoted')

export const listenHost = value(
  'an IP address or a host name without a port',
  text => (isIP(text) ? text : findDomainName(text)),
  'quoted',
)

/** Without a slash at its end, so that paths can be appended. */
export const address = value('an http or https address without user info, query or fragment', text => {
  const url = findUrl(text, ['http:', 'https:'])
  if (!url || url.username || url.password || url.search || url.hash) return null
  return url.href.replace(/\/+$/, '')
})

/** Kept unchanged: issuers are compared character by character, including a final slash. */
export const issuer = value('an http or https address without user info, query or fragment', text => {
  const url = findUrl(text, ['http:', 'https:'])
  return !url || url.username || url.password || url.search || url.hash ? null : text
})

export const emailDomains = value('a comma-separated list of domain names', text => {
  const domains = text.split(',').map(part => part.trim().toLowerCase())
  return domains.every(domain => /^[a-z0-9.-]{1,253}$/.test(domain)) ? domains : null
})

export const claimValue = value('the name of a claim, = and its value', text => {
  const at = text.indexOf('=')
  const [name, wanted] = [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  return at < 1 || name === '' || wanted === '' ? null : { name, value: wanted }
})

export const addressWithQuery = value('an http or https address without user info', text => {
  const url = findUrl(text, ['http:', 'https:'])
  return !url || url.username || url.password ? null : url.href
})

export const origin = value('an http or https address without user info, path, query or fragment', text =>
  normalizeOrigin(text.replace(/\/$/, '')),
)

export const postgresUrl = value('a postgres:// address', text =>
  findUrl(text, ['postgres:', 'postgresql:']) ? text : null,
)

export const redisUrl = value('a redis:// or rediss:// address', text =>
  findUrl(text, ['redis:', 'rediss:'])?.hostname ? text : null,
)

/** Redis hashes the part of a key in braces to distribute keys, and the keys contain their own braces. */
export const redisPrefix = value('1 to 64 printable ASCII characters without white space and braces', text =>
  /^[\x21-\x7a|~]{1,64}$/.test(text) ? text : null,
)

export const folder = value('a path', text => resolve(text))

/** Sent in a header, which allows no other characters. */
export function headerSecret(minCharacters: number) {
  const rule = `printable ASCII of ${minCharacters} characters or more`
  return value(rule, text => (/^[\x20-\x7e]+$/.test(text) && text.length >= minCharacters ? text : null))
}

export const headerToken = value('printable ASCII without white space', text =>
  /^[\x21-\x7e]+$/.test(text) ? text : null,
)

export const password = value('12 characters or more', text => ([...text].length >= 12 ? text : null))

export const email = value('an e-mail address', text =>
  /^[^\s@]+@[^\s@]+$/.test(text) && text.length <= 254 ? text.toLowerCase() : null,
)

export const keyId = value('1 to 128 printable ASCII characters without white space', text =>
  /^[\x21-\x7e]{1,128}$/.test(text) ? text : null,
)

export const rsaPrivateKey = value(
  'an unencrypted RSA private key of 2048 to 8192 bits, as PEM or as base64 of PEM',
  findRsaPrivateKey,
)

export const publicJwks = value(
  'a JSON array of public RSA signing keys (JWK) of 2048 to 8192 bits, each with a kid of its own and no private part',
  findPublicJwks,
)

export const encryptionKey = value('32 bytes in base64', findEncryptionKey)

export const encryptionKeys = value('a comma list of keys of 32 bytes in base64', text =>
  allOrNull(listOf(text).map(findEncryptionKey)),
)

/** Networks in CIDR form; a single address is a network of one. */
export const networks = value(
  'a comma list of IP addresses and CIDR networks',
  text => allOrNull(listOf(text).map(findNetwork)),
  'quoted',
)

export const outboundAllow = value('a comma list of host, host:port and CIDR networks', text => {
  try {
    return parseOutboundAllow(text)
  } catch {
    return null
  }
})

export const proxy = value('an http or https address of a proxy without path, query or fragment', readProxy)

export const proxyExceptions = value(
  'a comma list of host, .suffix, host:port, IP addresses, CIDR networks, or *',
  readProxyExceptions,
  'quoted',
)

export const paths = value('a comma list of absolute paths', text =>
  listOf(text).every(isAbsolute) ? new Set(listOf(text)) : null,
)

export const modelId = value(
  'a model ID with its provider, such as openai/gpt-4o-mini',
  text => (isProvider(parseModelId(text)?.provider ?? '') ? text : null),
  'quoted',
)

export const hostAndPort = value(
  'host:port',
  text => {
    const [, bracketed, name, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? []
    const host = bracketed !== undefined ? (isIP(bracketed) === 6 ? bracketed : null) : findHost(name ?? '')
    const number = findNumber(port ?? '', /^\d+$/, 1, 65_535)
    return host === null || number === null ? null : { host, port: number }
  },
  'quoted',
)

/** The target of our DNS names; the type of record depends on its form. */
export const recordTarget = value(
  'an IP address or a domain name',
  text => {
    const type = ({ 4: 'A', 6: 'AAAA', 0: 'CNAME' } as const)[isIP(text) as 0 | 4 | 6]
    const target = type === 'CNAME' ? findDomainName(text) : text
    return target === null ? null : { type, target }
  },
  'quoted',
)

export const tsigKey = value('algorithm:name:base64 with an algorithm of hmac-sha1 to hmac-sha512', text => {
  const [algorithm = '', name = '', secret = '', ...rest] = text.split(':')
  const isKnown = /^hmac-sha(1|224|256|384|512)$/i.test(algorithm)
  const bytes = /^[A-Za-z0-9+/]+={0,2}$/.test(secret) ? Buffer.from(secret, 'base64') : null
  const keyName = findDomainName(name)
  if (!isKnown || keyName === null || !bytes?.length || rest.length > 0) return null
  return { algorithm: algorithm.toLowerCase(), name: keyName, secret: bytes }
})

export function fraction(rule: string) {
  return value(rule, text => findNumber(text, /^[01](\.\d{1,9})?$/, 0, 1), 'quoted')
}

/** The format of OpenTelemetry for header lists; headers that the exporter sets itself are not allowed. */
export const otlpHeaders = value('a comma list of name=value, with values percent-encoded', text => {
  const pairs = listOf(text).map(findHeader)
  return pairs.every(pair => pair !== null) ? Object.fromEntries(pairs) : null
})

const sendersOwn = ['host', 'content-type', 'content-length', 'connection', 'transfer-encoding']

function findHeader(text: string): [string, string] | null {
  const [, name = '', encoded = ''] = /^([A-Za-z0-9_-]{1,80})\s*=\s*([\x21-\x7e][\x20-\x7e]*)$/.exec(text) ?? []
  if (name === '' || sendersOwn.includes(name.toLowerCase())) return null
  try {
    const decoded = decodeURIComponent(encoded)
    return /^[\x20-\x7e]+$/.test(decoded) ? [name.toLowerCase(), decoded] : null
  } catch {
    return null
  }
}

function findNumber(text: string, shape: RegExp, min: number, max: number): number | null {
  const number = shape.test(text) ? Number(text) : Number.NaN
  return number >= min && number <= max ? number : null
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
}

function allOrNull<T>(values: (T | null)[]): T[] | null {
  return values.every(found => found !== null) ? values : null
}

// WHATWG URLs repair too much: `http:host` and `http:///host` are typing errors here.
function findUrl(text: string, protocols: readonly string[]): URL | null {
  if (!/^[a-z]+:\/\/[^/]|^postgres(ql)?:\/\//i.test(text) || /[\s\\]/.test(text)) return null
  const url = URL.parse(text)
  return url && protocols.includes(url.protocol) ? url : null
}

function findHost(text: string): string | null {
  return isIP(text) === 4 ? text : findDomainName(text)
}

function findDomainName(text: string): string | null {
  const name = text.toLowerCase().replace(/\.$/, '')
  const isName = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/.test(name)
  // A last label of digits would be read as an IPv4 address.
  return isName && name.length <= 253 && !/(^|\.)\d+$/.test(name) ? name : null
}

function findNetwork(text: string): string | null {
  const [ip = '', prefix, ...rest] = text.split('/')
  const version = isIP(ip)
  if (version === 0 || ip.includes('%') || rest.length > 0) return null
  const bits = version === 4 ? 32 : 128
  const length = prefix === undefined ? bits : findNumber(prefix, /^\d{1,3}$/, 0, bits)
  return length === null ? null : `${ip}/${length}`
}

function findEncryptionKey(text: string): Buffer | null {
  return /^[A-Za-z0-9+/]{43}=?$/.test(text) || /^[A-Za-z0-9_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null
}
