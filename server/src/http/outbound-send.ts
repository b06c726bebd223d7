// Gathers one whole small answer under a time and a size. Knows nothing of where it comes from.
import type { AnswerHeaders, Call, Receiver } from './outbound-call.ts'
import { OutboundFailure } from './outbound-failure.ts'

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
  const chunks: Buffer[] = []
  const answer: SmallAnswer = { status: 0, headers: {}, body: Buffer.alloc(0) }
  let bytes = 0
  const weigh = (total: number) => {
    if (total > maxBytes) call.abort(new OutboundFailure('too_large'))
  }

  const call = start({
    onResponse(status, headers) {
      Object.assign(answer, { status, headers })
      weigh(Number(headers['content-length'] ?? 0))
    },
    onData(chunk) {
      bytes += chunk.length
      // Copied: the client's buffer is its own to write over.
      chunks.push(Buffer.from(chunk))
      weigh(bytes)
    },
    onEnd: () => resolve({ ...answer, body: Buffer.concat(chunks) }),
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
