// One answer of a model, shown while it arrives. A new request, `stop` and the end of the component end the request
// before.
'use client'
import { SallyportError } from '@sallyport/sdk'
import type { AnswerUsage, CompletionRequest, StreamedAnswer } from '@sallyport/sdk/completions'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useClient } from './provider.ts'
import { toSentence } from './to-sentence.ts'

/** `submitted`: the answer has not begun. The words are those of `useChat`. */
export type CompletionStatus = 'ready' | 'submitted' | 'streaming' | 'error'

interface CompletionState {
  status: CompletionStatus
  /** What has arrived; it stays after `stop` and after an error. */
  text: string
  /** A sentence to show; null unless the status is `error`. */
  error: string | null
  /** The error itself, with its `code`, `status` and `requestId`. */
  failure: SallyportError | null
  /** `stop`, `length`, `content_filter` or `tool_calls`. */
  finishReason: string | null
  usage: AnswerUsage | null
  model: string | null
  requestId: string | null
}

export interface Completion extends CompletionState {
  /**
   * Sends a message, or a request; its fields precede those that the hook was given. Resolves to the whole text, or to
   * null if it was stopped or failed; it never throws.
   */
  complete(input?: string | CompletionRequest): Promise<string | null>
  /** Ends the request; the text stays. */
  stop(): void
}

const empty: CompletionState = {
  status: 'ready',
  text: '',
  error: null,
  failure: null,
  finishReason: null,
  usage: null,
  model: null,
  requestId: null,
}

/** `defaults` are part of each request: `useCompletion({ prompt: { id: 'chat' } })`. */
export function useCompletion(defaults: CompletionRequest = {}): Completion {
  const { send } = useClient()
  const [state, setState] = useState(empty)
  const running = useRef<AbortController | null>(null)
  const latest = useRef(defaults)
  useEffect(() => {
    latest.current = defaults
  })

  const stop = useCallback(() => {
    running.current?.abort()
    running.current = null
    setState(old => (old.status === 'submitted' || old.status === 'streaming' ? { ...old, status: 'ready' } : old))
  }, [])
  useEffect(() => stop, [stop])

  const complete = useCallback(
    async (input: string | CompletionRequest = {}) => {
      running.current?.abort()
      const controller = new AbortController()
      running.current = controller
      const { signal } = controller
      const show = (change: Partial<CompletionState>) => {
        if (running.current === controller) setState(old => ({ ...old, ...change }))
      }
      show({ ...empty, status: 'submitted' })
      try {
        const answer = await send(join(latest.current, input), { signal })
        show({ status: 'streaming', model: answer.model, requestId: answer.requestId })
        const text = await read(answer, show)
        show({ status: 'ready' })
        return text
      } catch (cause) {
        if (signal.aborted) return null
        const failure =
          cause instanceof SallyportError ? cause : new SallyportError(String(cause), { status: 0, cause })
        show({ status: 'error', error: toSentence(failure), failure })
        return null
      }
    },
    [send],
  )
  return { ...state, complete, stop }
}

function join(defaults: CompletionRequest, input: string | CompletionRequest): CompletionRequest {
  if (typeof input !== 'string') return { ...defaults, ...input }
  return { ...defaults, messages: [...(defaults.messages ?? []), { role: 'user', content: input }] }
}

async function read(answer: StreamedAnswer, show: (change: Partial<CompletionState>) => void): Promise<string> {
  let text = ''
  for await (const part of answer) {
    text += part.text
    if (part.text !== '') show({ text })
    if (part.finishReason !== null) show({ finishReason: part.finishReason })
    if (part.usage !== null) show({ usage: part.usage })
  }
  return text
}
