// The secret of an invitation or reset link, after `#`, which no server sees; links of older versions have it in the
// query. It is taken out of the address at once, so that it does not stay in the history.

const tokenIn = (part: string) => new URLSearchParams(part.slice(1)).get('token')
let token = tokenIn(location.hash) ?? tokenIn(location.search) ?? ''

/** Kept for a second attempt. */
export const takeLinkToken = (): string => token

/** Called before the router reads the address. */
export function hideLinkToken(): void {
  const isLink = location.pathname === '/invite' || location.pathname === '/reset'
  if (isLink && token !== '') history.replaceState(null, '', location.pathname)
  else token = ''
}
