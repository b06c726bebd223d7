// Sets, clears and reads the cookie of a browser's session. Scripts cannot read it, requests from other sites do not
// carry it, and over https no other host can set it.

/** A write with the cookie needs this header, which pages of other sites cannot send. */
export const writeHeader = 'x-sallyport'

export interface SessionCookie {
  name: string
  set(token: string, seconds: number): string
  clear(): string
  /** Null if the cookie is missing or occurs more than once. */
  read(header: string | undefined): string | null
}

export function createSessionCookie(baseUrl: string): SessionCookie {
  return createCookie(baseUrl, 'sallyport', 'Strict')
}

/** Binds a single sign-on to the browser that began it; the issuer's redirect carries it. */
export function createSignOnCookie(baseUrl: string): SessionCookie {
  return createCookie(baseUrl, 'sallyport-sign-on', 'Lax')
}

function createCookie(baseUrl: string, plainName: string, sameSite: 'Strict' | 'Lax'): SessionCookie {
  const isSecure = new URL(baseUrl).protocol === 'https:'
  const name = isSecure ? `__Host-${plainName}` : plainName
  const write = (value: string, seconds: number) =>
    `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`
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
