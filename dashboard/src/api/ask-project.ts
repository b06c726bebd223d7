// Sends one question to a project as an application does: mints a token for an end user and streams the answer.
import { createGatewayFetch, createManagementClient } from '@sallyport/sdk'
import { readDeltas } from './read-deltas.ts'

interface Question {
  slug: string
  /** The plaintext, which only the response of its creation contained. */
  apiKey: string
  text: string
}

const endUser = 'first-steps'

export const addressOf = (slug: string): string => `${location.origin}/p/${slug}`

export async function* askProject({ slug, apiKey, text }: Question): AsyncGenerator<string> {
  const baseUrl = addressOf(slug)
  const send = createGatewayFetch({ baseUrl, tokenProvider: () => mint(apiKey) })
  const response = await send(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: text }], stream: true }),
  })
  if (!response.ok || response.body === null) throw new Error(await readMessage(response))
  yield* readDeltas(response.body)
}

async function mint(apiKey: string): Promise<string> {
  const client = createManagementClient({
    baseUrl: location.origin,
    // An application mints on its server; here the key was created a moment ago, in this page.
    fetch: (url, init) => {
      const headers = new Headers(init?.headers)
      headers.set('authorization', `Bearer ${apiKey}`)
      return fetch(url, { ...init, headers, credentials: 'omit' })
    },
  })
  const minted = await client.request('POST', '/auth/v1/auth/mint', { body: { user_id: endUser, ttl: 600 } })
  return minted.access_token
}

async function readMessage(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error?: { message?: string } }
  return error?.message ?? `The project answered with status ${response.status}`
}
