// Runs one message in a project's playground and streams the answer. A client of its own, because the run can be
// stopped, and headers say under which id its guardrail events are stored and what answered.
import { createManagementClient } from '@sallyport/sdk'
import { request } from './management.ts'
import { type ChunkUsage, readAnswer } from './read-deltas.ts'

export interface PlaygroundMessage {
  role: string
  content: string
  tool_calls?: { id: string; type: string; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

export interface PlaygroundRun {
  projectId: string
  /** The user whose hourly limit counts the run. */
  userId: string
  use: 'draft' | 'deployed'
  /** A prompt of the project; its messages come first. */
  prompt: { id: string; variables: Readonly<Record<string, string>> } | null
  /** What the request asks for; null for nothing. */
  model: string | null
  system: string
  /** Between the system message and the last one. */
  earlier: readonly PlaygroundMessage[]
  /** May be empty beside a prompt or earlier messages. */
  message: string
  /** Whether the cache may answer, if the settings have one. */
  usesCache: boolean
  signal: AbortSignal
  onHead: (head: RunHead) => void
}

/** What the head of the response says of a run. */
export interface RunHead {
  requestId: string | null
  /** With routes: the model of the target that answered, or failed last; null without routes. */
  model: string | null
  /** With routes: how many calls to providers were begun. */
  attempts: number | null
  /** Null if the cache was not used. */
  cache: 'hit' | 'miss' | null
}

/** As long as the first word of an answer may take by default. */
const timeoutMs = 125_000

export async function* runPlayground(run: PlaygroundRun): AsyncGenerator<{ text: string; usage: ChunkUsage | null }> {
  const { projectId, userId, use, prompt, model, system, earlier, message, usesCache, signal, onHead } = run
  // If the session has expired, this asks for the sign-in.
  await request('GET', '/auth/v1/sessions/current')
  const client = createManagementClient({
    baseUrl: location.origin,
    cookie: true,
    timeoutMs,
    fetch: async (url, init) => {
      const signals = init?.signal ? [init.signal, signal] : [signal]
      const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) })
      onHead(readHead(response.headers))
      return response
    },
  })
  const messages: PlaygroundMessage[] = [...asMessage('system', system), ...earlier, ...asMessage('user', message)]
  const stream = await client.request('POST', '/auth/v1/projects/{projectId}/playground', {
    path: { projectId },
    query: { use },
    headers: { 'X-User-Id': userId, ...(usesCache && { 'X-Sallyport-Cache': 'use' }) },
    body: {
      ...(model !== null && { model }),
      ...(prompt !== null && { prompt }),
      ...(messages.length > 0 && { messages }),
      ...{ stream_options: { include_usage: true } },
    },
  })
  yield* readAnswer(stream)
}

const asMessage = (role: string, content: string): PlaygroundMessage[] => (content === '' ? [] : [{ role, content }])

function readHead(headers: Headers): RunHead {
  const attempts = headers.get('x-sallyport-attempts')
  const cache = headers.get('x-sallyport-cache')
  return {
    requestId: headers.get('x-request-id'),
    model: headers.get('x-sallyport-model'),
    attempts: attempts === null ? null : Number(attempts),
    cache: cache === 'hit' || cache === 'miss' ? cache : null,
  }
}
