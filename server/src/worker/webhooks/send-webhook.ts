// Sends one delivery of a webhook. The body of the response is ignored.
import { signWebhook } from '../../crypto/secrets/webhook-signature.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { type Post, type PostResponse, post } from '../../outbound/post.ts'

interface WebhookRequest extends Omit<Post, 'headers'> {
  id: string
  /** The current one first. */
  secrets: readonly string[]
  /** When the attempt starts, in epoch milliseconds. */
  time: number
}

export type WebhookResponse = Pick<PostResponse, 'status' | 'failure'>

export async function sendWebhook(outbound: Outbound, request: WebhookRequest): Promise<WebhookResponse> {
  const { id, secrets, time, ...sent } = request
  const timestamp = Math.floor(time / 1000)
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Sallyport-Webhooks',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signWebhook({ id, timestamp, body: sent.body }, secrets),
  }
  return await post(outbound, { ...sent, headers })
}
