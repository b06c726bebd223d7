// Checks and normalises the addresses that applications pass in.

/** A project's address without a slash or `/v1` at its end. */
export function readBaseUrl(baseUrl: string): string {
  const url = parseUrl(baseUrl)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new TypeError('baseUrl must be an address such as https://amber-falcon-4821.example.com')
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/v1$/, '')
}

/** Browsers of 2023 have no `URL.parse`. */
function parseUrl(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

/** What is probably wrong if the server at `base` has no such route; null if nothing is known. */
export function missingSlugHint(base: string, status: number, message: string | null): string | null {
  // The management API's words: a project's address lists its routes, or says that the host is unknown.
  if (status !== 404 || message !== 'Not found' || new URL(base).pathname.startsWith('/p/')) return null
  return `Not found: baseUrl must be the address of a project, but …/p/{slug} is missing in ${base}`
}

/** The origin of the page, if it is another one than that of `base`; null outside of browsers. */
export function foreignPageOrigin(base: string): string | null {
  const { origin } = (globalThis as { location?: { origin?: string } }).location ?? {}
  const isPage = 'document' in globalThis && origin !== undefined && origin !== 'null'
  return isPage && origin !== new URL(base).origin ? origin : null
}
