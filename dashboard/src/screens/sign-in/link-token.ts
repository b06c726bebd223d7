// The secret of an invitation or reset link: taken out of the address at once, so that it does not stay in the history.

let token = new URLSearchParams(location.search).get('token') ?? ''

/** Kept for a second attempt. */
export const takeLinkToken = (): string => token

/** Called before the router reads the address. */
export function hideLinkToken(): void {
  const isLink = location.pathname === '/invite' || location.pathname === '/reset'
  if (isLink && token !== '') history.replaceState(null, '', location.pathname)
  else token = ''
}
