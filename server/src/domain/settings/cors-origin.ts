// CORS origins: the normal form in which cors_origins stores them, and the check of a browser's Origin header.

export const wildcardOrigin = '*'

/**
 * Returns `scheme://host[:port]` in lower case, in punycode and without a default port; null for anything else,
 * including `*`.
 */
export function normalizeOrigin(entry: string): string | null {
  // Checked before parsing: the URL parser accepts tabs, back-slashes, missing slashes and percent-encoded hosts.
  if (!/^https?:\/\/[^\s\p{Cc}/\\?#@%]+$/iu.test(entry) || entry.endsWith(':')) return null
  const url = URL.parse(entry)
  return url !== null && isHostName(url.hostname) ? url.origin : null
}

function isHostName(hostname: string): boolean {
  if (hostname.startsWith('[')) return true
  return hostname.length <= 253 && /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\.?$/.test(hostname)
}

/** Must match an entry exactly: no trailing dot or slash, the same port, the same case. */
export function isOriginAllowed(deployedOrigins: readonly string[], originHeader: string): boolean {
  if (originHeader === '') return false
  return (
    deployedOrigins.includes(wildcardOrigin) ||
    (originHeader !== wildcardOrigin && deployedOrigins.includes(originHeader))
  )
}
