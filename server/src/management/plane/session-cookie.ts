// The cookie that carries a browser's session: what it is called, how it is set, cleared and read. No page's script can read it,
// no other site's request carries it, and where the product is served over https no other host can set it.

/** What a request with the cookie must carry to change anything: no other site's page may send it. */
export const writeHeader = 'x-sallyport'

export interface SessionCookie {
  name: string
  set(token: string, seconds: number): string
  clear(): string
  /** Null where it is not there, or there more than once. */
  read(header: string | undefined): string | null
}

export function createSessionCookie(baseUrl: string): SessionCookie {
  const isSecure = new URL(baseUrl).protocol === 'https:'
  const name = isSecure ? '__Host-sallyport' : 'sallyport'
  const write = (value: string, seconds: number) =>
    `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  return {
    name,
    set: write,
    clear: () => write('', 0),
    read(header) {
      if (header === undefined) return null
      const values = header
        .split(';')
        .map(pair => pair.trim())
        .filter(pair => pair.startsWith(`${name}=`))
        .map(pair => pair.slice(name.length + 1))
      const [value = ''] = values
      return values.length === 1 && value !== '' ? value : null
    },
  }
}
