// Origins: the one form in which an entry of cors_origins is stored, and whether a browser's Origin header is on the list.

export const wildcardOrigin = '*'

/** `scheme://host[:port]` in lower case, punycode and without a default port; null for everything else, `*` included. */
export function normalizeOrigin(entry: string): string | null {
  // Before the URL parser sees it: the parser forgives tabs, back-slashes, missing slashes and percent-encoded hosts.
  if (!/^https?:\/\/[^\s\p{Cc}/\\?#@%]+$/iu.test(entry) || entry.endsWith(':')) return null
  const url = URL.parse(entry)
  return url !== null && isHostName(url.hostname) ? url.origin : null
}

function isHostName(hostname: string): boolean {
  if (hostname.startsWith('[')) return true
  return hostname.length <= 253 && /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\.?$/.test(hostname)
}

/** A header that only resembles an entry (trailing dot, slash, other port, another case) is not on the list. */
export function isOriginAllowed(deployedOrigins: readonly string[], originHeader: string): boolean {
  if (originHeader === '') return false
  return (
    deployedOrigins.includes(wildcardOrigin) ||
    (originHeader !== wildcardOrigin && deployedOrigins.includes(originHeader))
  )
}
