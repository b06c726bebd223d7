// Runs a conversation in a project's playground and streams the answer. A client of its own, because the run can be
// stopped, and headers say under which id its guardrail events are stored and what answered.
import { createManagementClient } from '@sallyport/sdk'
import { request } from './management.ts'
import { type AnswerPiece, readAnswer } from './read-deltas.ts'

export interface ToolCall {
  id: string
  type: string
  function: { name: string; arguments: string }
}

export type ContentPart = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } }

export interface PlaygroundMessage {
  role: string
  content: string | ContentPart[]
  tool_calls?: ToolCall[]
  tool_call_id?: string
}

/** Other fields of the request, as a client would send them. */
export interface PlaygroundParams {
  temperature?: number
  max_tokens?: number
  tools?: unknown[]
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
  /** After the system message; may be empty beside a prompt. */
  messages: readonly PlaygroundMessage[]
  params: PlaygroundParams
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

export async function* runPlayground(run: PlaygroundRun): AsyncGenerator<AnswerPiece> {
  const { projectId, userId, use, prompt, model, system, params, usesCache, signal, onHead } = run
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
  const messages = [...(system === '' ? [] : [{ role: 'system', content: system }]), ...run.messages]
  const stream = await client.request('POST', '/auth/v1/projects/{projectId}/playground', {
    path: { projectId },
    query: { use },
    headers: { 'X-User-Id': userId, ...(usesCache && { 'X-Sallyport-Cache': 'use' }) },
    body: {
      ...(model !== null && { model }),
      ...(prompt !== null && { prompt }),
      ...(messages.length > 0 && { messages }),
      ...params,
      ...{ stream_options: { include_usage: true } },
    },
  })
  yield* readAnswer(stream)
}

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
