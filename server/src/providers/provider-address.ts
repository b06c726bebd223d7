// Builds a provider URL from base, version and path; a base may end in the version segment or not, and may have a path
// of its own. `outbound/` checks whether the URL may be reached.

import { memoize } from '../collections/bounded-memo.ts'

export interface VersionRule {
  /** The segments before the version in the provider's own paths; a base that ends in them lacks only the version. */
  prefix?: string
  /** The version that inference uses; null if the paths have none. */
  version: string | null
  /** Further versions that the provider serves; a call that needs one of them replaces the version. */
  siblings?: readonly string[]
  /** A base with a path of its own is complete: the version is only added to one without. */
  keepsPath?: boolean
  /** Colons in paths are sent encoded. */
  encodesColons?: true
}

interface Target {
  version?: string
  path: readonly string[]
  query?: Record<string, string>
}

const versionShape = /^v[0-9]{1,3}(?:(?:alpha|beta)[0-9]{0,3})?$/

/** Segments of `path` are encoded; those of the base stay as they were written. */
export function providerUrl(baseUrl: string, rule: VersionRule, { version, path, query = {} }: Target): string {
  const { root, segments } = readBase(baseUrl)
  const encode = rule.encodesColons ? encodeWhole : encodeSegment
  const whole = [...withVersion(segments, rule, version ?? rule.version), ...path.map(encode)].join('/')
  for (const _ in query) return `${root}${whole}?${new URLSearchParams(query)}`
  return root + whole
}

/** A memo: every call uses one of few bases. */
const readBase = memoize(baseUrl => {
  const url = new URL(baseUrl)
  const segments = url.pathname.split('/').filter(Boolean)
  url.pathname = ''
  url.search = ''
  url.hash = ''
  return { root: url.href, segments }
})

const plainSegment = /^[A-Za-z0-9_-]+$/

function encodeSegment(text: string): string {
  // Google's methods follow a colon, which is allowed in a path.
  return plainSegment.test(text) ? text : encodeWhole(text).replaceAll('%3A', ':')
}

function encodeWhole(text: string): string {
  // The URL standard would read these as steps up, in every spelling.
  if (/^\.{0,2}$/.test(text)) throw new Error('not a path segment')
  return encodeURIComponent(text)
}

function withVersion(base: readonly string[], rule: VersionRule, version: string | null): string[] {
  if (version === null) return [...base]
  if (rule.keepsPath && base.length > 0) return [...base]
  const last = base.at(-1) ?? ''
  if ([version, rule.version, ...(rule.siblings ?? [])].includes(last)) return [...base.slice(0, -1), version]
  // Another product with the same wire format may number its versions differently.
  if (versionShape.test(last)) return [...base]
  if (rule.prefix === undefined || last === rule.prefix) return [...base, version]
  return [...base, rule.prefix, version]
}
