// The state of one column of the playground: its conversation so far, its run, the answer, and what it used.
import { useCallback, useEffect, useRef, useState } from 'react'
import { messageOf } from '../../api/errors.ts'
import type { ChunkUsage, ToolCallDelta } from '../../api/read-deltas.ts'
import {
  type PlaygroundMessage,
  type PlaygroundRun,
  type RunHead,
  runPlayground,
  type ToolCall,
} from '../../api/run-playground.ts'

export interface Trial {
  state: 'idle' | 'running' | 'answered' | 'stopped' | 'failed'
  /** The conversation before the answer. Of a replay, only what was sent here. */
  said: readonly PlaygroundMessage[]
  text: string
  toolCalls: readonly ToolCall[]
  error: string | null
  usage: ChunkUsage | null
  /** Null until the server has answered. */
  head: RunHead | null
  startedAt: number
  firstTextMs: number | null
  totalMs: number | null
}

const idle: Trial = {
  state: 'idle',
  said: [],
  text: '',
  toolCalls: [],
  error: null,
  usage: null,
  head: null,
  startedAt: 0,
  firstTextMs: null,
  totalMs: null,
}

export interface Question extends Omit<PlaygroundRun, 'signal' | 'onHead' | 'messages'> {
  /** Of a replay: they come first, and are not shown again. */
  earlier: readonly PlaygroundMessage[]
  /** The user's next message; null if there is none beside a prompt or earlier messages. */
  message: PlaygroundMessage | null
}

export function useTrial() {
  const [trial, setTrial] = useState(idle)
  const controller = useRef<AbortController | null>(null)
  const stop = useCallback(() => controller.current?.abort(), [])
  // Nobody would read the rest of the answer, which costs.
  useEffect(() => stop, [stop])
  const run = useCallback(async (question: Question, before: readonly PlaygroundMessage[]): Promise<void> => {
    controller.current?.abort()
    const own = new AbortController()
    controller.current = own
    const startedAt = Date.now()
    /** A run that another one has replaced changes nothing any more. */
    const change = (next: Partial<Trial> | ((shown: Trial) => Partial<Trial>)): void => {
      if (controller.current !== own) return
      setTrial(shown => ({ ...shown, ...(typeof next === 'function' ? next(shown) : next) }))
    }
    const { earlier, message, ...rest } = question
    const said = [...before, ...nextMessages(before, message)]
    change({ ...idle, state: 'running', startedAt, said })
    try {
      const onHead = (head: RunHead): void => change({ head })
      const messages = [...earlier, ...said]
      for await (const { text, toolCalls, usage } of runPlayground({ ...rest, messages, signal: own.signal, onHead })) {
        const passedMs = Date.now() - startedAt
        change(shown => ({
          text: shown.text + text,
          toolCalls: addDeltas(shown.toolCalls, toolCalls),
          usage: usage ?? shown.usage,
          firstTextMs: shown.firstTextMs ?? (text === '' ? null : passedMs),
        }))
      }
      change({ state: 'answered' })
    } catch (cause) {
      change(own.signal.aborted ? { state: 'stopped' } : { state: 'failed', error: messageOf(cause) })
    } finally {
      change({ totalMs: Date.now() - startedAt })
    }
  }, [])
  return {
    trial,
    stop,
    /** Begins a conversation. */
    start: (question: Question) => run(question, []),
    /** Continues the conversation, of a column that has answered. */
    reply: (question: Question) => run(question, [...trial.said, ...answerOf(trial)]),
  }
}

function answerOf({ state, text, toolCalls }: Trial): PlaygroundMessage[] {
  if (state !== 'answered') return []
  return [{ role: 'assistant', content: text, ...(toolCalls.length > 0 && { tool_calls: [...toolCalls] }) }]
}

/** After tool calls, the message is the result of each. */
function nextMessages(before: readonly PlaygroundMessage[], message: PlaygroundMessage | null): PlaygroundMessage[] {
  if (message === null) return []
  const calls = before.at(-1)?.tool_calls ?? []
  if (calls.length === 0) return [message]
  return calls.map(({ id }) => ({ role: 'tool', content: message.content, tool_call_id: id }))
}

function addDeltas(calls: readonly ToolCall[], deltas: readonly ToolCallDelta[]): readonly ToolCall[] {
  if (deltas.length === 0) return calls
  const added = [...calls]
  for (const { index, id, function: part } of deltas) {
    const known = added[index] ?? { id: '', type: 'function', function: { name: '', arguments: '' } }
    const { name, arguments: given } = known.function
    added[index] = {
      ...known,
      id: known.id || (id ?? ''),
      function: { name: name || (part?.name ?? ''), arguments: given + (part?.arguments ?? '') },
    }
  }
  return added
}
