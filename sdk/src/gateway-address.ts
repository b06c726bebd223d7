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
