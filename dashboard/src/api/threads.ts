// Reads and deletes the conversations of an end user. The management API has none of them: they are read at the
// project's own address, with a token that a service of the project was minted.
import { createGatewayFetch } from '@sallyport/sdk'
import { addressOf } from './ask-project.ts'

export interface Thread {
  id: string
  title: string
  message_count: number
  created_at: string
  updated_at: string
}

export interface ThreadMessage {
  id: string
  role: string
  content: string | null | { type: string; text?: string; refusal?: string }[]
  tool_calls?: { id: string; function: { name: string; arguments: string } }[]
  created_at: string
}

export interface ThreadPage<Item> {
  data: Item[]
  next_cursor: string | null
}

export interface ThreadReader {
  /** For the cache: whose conversations these are. */
  key: readonly string[]
  list(cursor: string | undefined): Promise<ThreadPage<Thread>>
  listMessages(threadId: string, cursor: string | undefined): Promise<ThreadPage<ThreadMessage>>
  remove(threadId: string): Promise<void>
}

interface ThreadAccess {
  slug: string
  /** A token of the role admin or dashboard-service: others may name no user but themselves. */
  token: string
  uid: string
}

export function createThreadReader({ slug, token, uid }: ThreadAccess): ThreadReader {
  const baseUrl = addressOf(slug)
  const sendWithToken = createGatewayFetch({ baseUrl, tokenProvider: () => token })
  const send = async (method: string, path: string, cursor?: string): Promise<Response> => {
    const query = new URLSearchParams({ uid, ...(cursor === undefined ? {} : { cursor }) })
    const response = await sendWithToken(`${baseUrl}/v1/threads${path}?${query}`, { method, credentials: 'omit' })
    if (response.ok) return response
    const { error } = (await response.json()) as { error?: { message?: string } }
    throw new Error(error?.message ?? `The project answered with status ${response.status}`)
  }
  return {
    key: ['threads', slug, uid],
    list: async cursor => (await send('GET', '', cursor)).json(),
    listMessages: async (threadId, cursor) => (await send('GET', `/${threadId}/messages`, cursor)).json(),
    remove: async threadId => void (await send('DELETE', `/${threadId}`)),
  }
}
