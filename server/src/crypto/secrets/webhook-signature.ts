// Secrets and signatures of webhooks, by the Standard Webhooks convention: `v1,` and the base64 HMAC-SHA256 of
// `id.timestamp.body` under the bytes of a secret `whsec_<base64>`.
import { createHmac } from 'node:crypto'
import type { RandomBytes } from './credentials.ts'
import type { SecretContext } from './secret-box.ts'

const secretStart = 'whsec_'
const secretBytes = 32

export function newWebhookSecret(random: RandomBytes): string {
  return secretStart + Buffer.from(random(secretBytes)).toString('base64')
}

const minSecretBytes = 24
const maxSecretBytes = 64

export const webhookSecretError = `secret must be whsec_ and the base64 of ${minSecretBytes}-${maxSecretBytes} bytes`

/** Whether it has the form of the convention. */
export function isWebhookSecret(value: unknown): value is string {
  if (typeof value !== 'string' || !value.startsWith(secretStart)) return false
  const text = value.slice(secretStart.length)
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text && bytes.length >= minSecretBytes && bytes.length <= maxSecretBytes
}

/** A secret is sealed for its webhook and address: one that was moved, or whose address was edited, does not open. */
export function webhookSecretContext({ tenantId, webhookId, url }: Record<'tenantId' | 'webhookId' | 'url', string>) {
  return { purpose: 'webhook-secret', tenantId, rowId: webhookId, bound: [url] } satisfies SecretContext
}

interface SignedMessage {
  id: string
  /** Unix seconds. */
  timestamp: number
  body: string
}

/** One signature for each secret, separated by a space, in the order of the secrets. */
export function signWebhook({ id, timestamp, body }: SignedMessage, secrets: readonly string[]): string {
  return secrets
    .map(secret => {
      const key = Buffer.from(secret.slice(secretStart.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
    })
    .join(' ')
}
