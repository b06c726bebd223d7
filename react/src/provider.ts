// Gives the components below it one client of the gateway: one token, and one view of the limits.
'use client'
import type { Fetch, LoadToken, TokenProvider } from '@sallyport/sdk'
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
} from 'react'
import { createClient, type HookClient, type SallyportClient } from './create-client.ts'

export interface SallyportProviderProps {
  /** The project's address: `https://{slug}.{domain}` or `{BASE_URL}/p/{slug}`. */
  baseUrl: string
  /**
   * `anonymousTokens({ baseUrl })`, made outside of components, or a function that fetches a token:
   * `() => fetch('/token')`. If somebody else signs in, give this component another `key`.
   */
  tokenProvider: TokenProvider | LoadToken
  fetch?: Fetch
  children?: ReactNode
}

const Context = createContext<HookClient | null>(null)

export function SallyportProvider({ baseUrl, tokenProvider, fetch, children }: SallyportProviderProps): ReactElement {
  // A function that is written in place is another one at each render, and must not cost another token.
  const latest = useRef(tokenProvider)
  useEffect(() => {
    latest.current = tokenProvider
  })
  const provider = 'reject' in tokenProvider ? tokenProvider : null
  const client = useMemo(
    () => createClient(baseUrl, provider ?? (context => (latest.current as LoadToken)(context)), fetch),
    [baseUrl, provider, fetch],
  )
  return createElement(Context.Provider, { value: client }, children)
}

export function useClient(): HookClient {
  const client = useContext(Context)
  if (client === null) throw new Error('Put <SallyportProvider> around the components that use its hooks.')
  return client
}

/** The project's address, the tokens and a `fetch` that keeps `useLimits` up to date. The same at each render. */
export function useSallyport(): SallyportClient {
  return useClient()
}
