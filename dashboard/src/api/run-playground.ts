// Runs one message in a project's playground and streams the answer. A client of its own, because the run can be
// stopped and its request id, under which its guardrail events are stored, is only in a header.
import { createManagementClient } from '@sallyport/sdk'
import { request } from './management.ts'
import { type ChunkUsage, readAnswer } from './read-deltas.ts'

export interface PlaygroundRun {
  projectId: string
  /** Whose hourly limit counts the run. */
  userId: string
  use: 'draft' | 'deployed'
  system: string
  message: string
  signal: AbortSignal
  onRequestId: (id: string | null) => void
}

/** As long as the first word of an answer may take by default. */
const timeoutMs = 125_000

export async function* runPlayground(run: PlaygroundRun): AsyncGenerator<{ text: string; usage: ChunkUsage | null }> {
  const { projectId, userId, use, system, message, signal, onRequestId } = run
  // If the session has expired, this asks for the sign-in.
  await request('GET', '/auth/v1/sessions/current')
  const client = createManagementClient({
    baseUrl: location.origin,
    cookie: true,
    timeoutMs,
    fetch: async (url, init) => {
      const signals = init?.signal ? [init.signal, signal] : [signal]
      const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) })
      onRequestId(response.headers.get('x-request-id'))
      return response
    },
  })
  const messages = [...(system === '' ? [] : [{ role: 'system', content: system }]), { role: 'user', content: message }]
  const stream = await client.request('POST', '/auth/v1/projects/{projectId}/playground', {
    path: { projectId },
    query: { use },
    headers: { 'X-User-Id': userId },
    body: { messages, ...{ stream_options: { include_usage: true } } },
  })
  yield* readAnswer(stream)
}
