// What the hooks below one provider share: how requests are sent, and what the gateway says of limits.
import { createTokenProvider, type Fetch, type LoadToken, type TokenProvider } from '@sallyport/sdk'
import { createCompletions, type SendCompletion } from '@sallyport/sdk/completions'
import { createLimitsStore, type LimitsStore } from './limits-store.ts'

/** The SDK's functions take it as their options: `createChatTransport(useSallyport())`. */
export interface SallyportClient {
  baseUrl: string
  tokenProvider: TokenProvider
  fetch: Fetch
}

export interface HookClient extends SallyportClient {
  send: SendCompletion
  limits: LimitsStore
}

export function createClient(
  baseUrl: string,
  tokens: TokenProvider | LoadToken,
  given: Fetch = (input, init) => globalThis.fetch(input, init),
): HookClient {
  const limits = createLimitsStore()
  const fetch: Fetch = async (input, init) => {
    const response = await given(input, init)
    limits.read(response)
    return response
  }
  const tokenProvider = 'reject' in tokens ? tokens : createTokenProvider(tokens)
  const client = { baseUrl, tokenProvider, fetch }
  return { ...client, send: createCompletions(client), limits }
}
