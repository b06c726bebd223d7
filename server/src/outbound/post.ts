// Posts a body to an address that a tenant chose. The status of the response decides; redirects are not followed, and
// only the first bytes of its body are kept.
import { GrowingBuffer } from '../http/growing-buffer.ts'
import type { OutboundFailure } from './failure.ts'
import type { Outbound } from './outbound.ts'

export interface Post {
  tenantId: string
  url: string
  headers: Record<string, string>
  body: string
  timeoutMs: number
  signal: AbortSignal
}

export interface PostResponse {
  /** Null without a response. */
  status: number | null
  failure: OutboundFailure | null
  /** The first bytes of the body, which the receiver wrote. */
  text: string
}

/** A body that is longer ends the connection; the receiver has answered. */
const maxBodyBytes = 64 * 1024
const keptBytes = 4 * 1024

export async function post(outbound: Outbound, request: Post): Promise<PostResponse> {
  const { tenantId, url, headers, body, timeoutMs, signal } = request
  const { promise, resolve } = Promise.withResolvers<PostResponse>()
  const kept = new GrowingBuffer(keptBytes)
  let status: number | null = null
  let bytes = 0
  const text = () => kept.whole().toString()
  const call = outbound.open(
    { url, method: 'POST', headers, body, guard: 'tenant', tenantId },
    {
      copiesWhatItKeeps: true,
      onResponse(given) {
        status = given
      },
      onData(piece) {
        kept.add(piece)
        bytes += piece.length
        if (bytes > maxBodyBytes) call.abort()
      },
      onEnd: () => resolve({ status, failure: null, text: text() }),
      onFailure: failure => resolve({ status: status ?? failure.status ?? null, failure, text: text() }),
    },
  )
  const end = () => call.abort()
  const timer = setTimeout(end, timeoutMs)
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

export function isAccepted({ status }: Pick<PostResponse, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300
}
