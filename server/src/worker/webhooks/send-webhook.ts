// Sends one delivery of a webhook. The status of the response decides; its body is ignored, and redirects are not
// followed.
import { signWebhook } from '../../crypto/secrets/webhook-signature.ts'
import type { OutboundFailure } from '../../outbound/failure.ts'
import type { Outbound } from '../../outbound/outbound.ts'

interface WebhookRequest {
  tenantId: string
  url: string
  id: string
  body: string
  /** The current one first. */
  secrets: readonly string[]
  /** When the attempt starts, in epoch milliseconds. */
  time: number
  timeoutMs: number
  signal: AbortSignal
}

export interface WebhookResponse {
  /** Null without a response. */
  status: number | null
  failure: OutboundFailure | null
}

/** A body that is longer ends the connection; the receiver has answered. */
const maxBodyBytes = 64 * 1024

export async function sendWebhook(outbound: Outbound, request: WebhookRequest): Promise<WebhookResponse> {
  const { tenantId, url, id, body, secrets, time, timeoutMs, signal } = request
  const timestamp = Math.floor(time / 1000)
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Sallyport-Webhooks',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signWebhook({ id, timestamp, body }, secrets),
  }
  const { promise, resolve } = Promise.withResolvers<WebhookResponse>()
  let status: number | null = null
  let bytes = 0
  const call = outbound.open(
    { url, method: 'POST', headers, body, guard: 'tenant', tenantId },
    {
      copiesWhatItKeeps: true,
      onResponse(given) {
        status = given
      },
      onData(piece) {
        bytes += piece.length
        if (bytes > maxBodyBytes) call.abort()
      },
      onEnd: () => resolve({ status, failure: null }),
      onFailure: failure => resolve({ status: status ?? failure.status ?? null, failure }),
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
