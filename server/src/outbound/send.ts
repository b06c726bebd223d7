// Reads one whole small response within a timeout and a maximum size.
import { GrowingBuffer } from '../http/growing-buffer.ts'
import type { AnswerHeaders, Call, Receiver } from './call.ts'
import { OutboundFailure } from './failure.ts'

export interface SmallAnswer {
  status: number
  headers: AnswerHeaders
  body: Buffer
}

interface Limits {
  timeoutMs: number
  maxBytes: number
  signal?: AbortSignal
}

export async function collect(start: (receiver: Receiver) => Call, limits: Limits): Promise<SmallAnswer> {
  const { timeoutMs, maxBytes, signal } = limits
  if (signal?.aborted) throw new OutboundFailure('aborted', { connected: false })
  const { promise, resolve, reject } = Promise.withResolvers<SmallAnswer>()
  const gathered = new GrowingBuffer(maxBytes)
  const answer: Omit<SmallAnswer, 'body'> = { status: 0, headers: {} }
  const giveUp = () => call.abort(new OutboundFailure('too_large'))

  const call = start({
    copiesWhatItKeeps: true,
    onResponse(status, headers) {
      Object.assign(answer, { status, headers })
      if (Number(headers['content-length'] ?? 0) > maxBytes) giveUp()
    },
    onData(piece) {
      if (!gathered.add(piece)) giveUp()
    },
    onEnd: () => resolve({ ...answer, body: gathered.whole() }),
    onFailure: reject,
  })
  const timer = setTimeout(() => call.abort(new OutboundFailure('timeout', { reason: 'total' })), timeoutMs)
  const onAbort = () => call.abort()
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}
