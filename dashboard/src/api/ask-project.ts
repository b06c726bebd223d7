// Sends one question to a project as an application does: with a token, of the user's own account, and streams the
// answer.
import { createGatewayFetch } from '@sallyport/sdk'
import { request } from './management.ts'
import { readDeltas } from './read-deltas.ts'

interface Question {
  projectId: string
  slug: string
  text: string
}

export const addressOf = (slug: string): string => `${location.origin}/p/${slug}`

export async function* askProject({ projectId, slug, text }: Question): AsyncGenerator<string> {
  const baseUrl = addressOf(slug)
  const send = createGatewayFetch({ baseUrl, tokenProvider: () => mint(projectId) })
  const response = await send(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: text }], stream: true }),
  })
  if (!response.ok || response.body === null) throw new Error(await readMessage(response))
  yield* readDeltas(response.body)
}

async function mint(projectId: string): Promise<string> {
  const path = '/auth/v1/projects/{projectId}/tokens'
  const { access_token: token } = await request('POST', path, { path: { projectId }, body: { ttl: 600 } })
  return token
}

async function readMessage(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error?: { message?: string } }
  return error?.message ?? `The project answered with status ${response.status}`
}
