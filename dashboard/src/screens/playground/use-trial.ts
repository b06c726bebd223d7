// The state of one column of the playground: its run, the answer so far, and what it used.
import { useCallback, useEffect, useRef, useState } from 'react'
import { messageOf } from '../../api/errors.ts'
import type { ChunkUsage } from '../../api/read-deltas.ts'
import { type PlaygroundRun, type RunHead, runPlayground } from '../../api/run-playground.ts'

export interface Trial {
  state: 'idle' | 'running' | 'answered' | 'stopped' | 'failed'
  text: string
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
  text: '',
  error: null,
  usage: null,
  head: null,
  startedAt: 0,
  firstTextMs: null,
  totalMs: null,
}

type Question = Omit<PlaygroundRun, 'signal' | 'onHead'>

export function useTrial() {
  const [trial, setTrial] = useState(idle)
  const controller = useRef<AbortController | null>(null)
  const stop = useCallback(() => controller.current?.abort(), [])
  // Nobody would read the rest of the answer, which costs.
  useEffect(() => stop, [stop])
  const start = useCallback(async (question: Question): Promise<void> => {
    controller.current?.abort()
    const own = new AbortController()
    controller.current = own
    const startedAt = Date.now()
    /** A run that another one has replaced changes nothing any more. */
    const change = (next: Partial<Trial> | ((shown: Trial) => Partial<Trial>)): void => {
      if (controller.current !== own) return
      setTrial(shown => ({ ...shown, ...(typeof next === 'function' ? next(shown) : next) }))
    }
    change({ ...idle, state: 'running', startedAt })
    try {
      const onHead = (head: RunHead): void => change({ head })
      for await (const { text, usage } of runPlayground({ ...question, signal: own.signal, onHead })) {
        const passedMs = Date.now() - startedAt
        change(shown => ({
          text: shown.text + text,
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
  return { trial, start, stop }
}
