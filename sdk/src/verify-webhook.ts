// Verifies deliveries to webhooks, which are signed by the Standard Webhooks convention. On servers: needs WebCrypto
// alone.
import { parseJson, SallyportError, toRecord } from './sallyport-error.ts'

export interface WebhookDelivery {
  /** `whsec_…`, from the creation or rotation of the webhook. */
  secret: string
  /** A `Headers`, or the headers of Node's requests, whose names are in lower case. */
  headers: Headers | Record<string, string | string[] | undefined>
  /** The body as it arrived, before any parser. */
  body: string | Uint8Array<ArrayBuffer>
  /** How old a delivery may be; by default 300. */
  toleranceSeconds?: number
}

export interface WebhookEvent {
  /** The same in each attempt to deliver the event: skip those that you have seen. */
  id: string
  type: string
  /** ISO 8601 */
  timestamp: string
  tenantId: string
  projectId: string | null
  data: Record<string, unknown>
}

const prefix = 'whsec_'

/** Resolves to the event of an authentic delivery; else throws a `SallyportError` whose status is 401. */
export async function verifyWebhook(delivery: WebhookDelivery): Promise<WebhookEvent> {
  const { secret, headers, body, toleranceSeconds = 300 } = delivery
  const id = readHeader(headers, 'webhook-id')
  const sentAt = readHeader(headers, 'webhook-timestamp')
  const key = await importKey(secret)
  // Also refuses what is not a number.
  if (!(Math.abs(Date.now() / 1000 - Number(sentAt || Number.NaN)) <= toleranceSeconds)) {
    refuse('The delivery has no valid time, is too old, or the clock is wrong')
  }
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const head = new TextEncoder().encode(`${id}.${sentAt}.`)
  const signed = new Uint8Array(head.length + bytes.length)
  signed.set(head)
  signed.set(bytes, head.length)
  // During a rotation there are two; a sender of more is no gateway.
  const given = readHeader(headers, 'webhook-signature').split(' ').slice(0, 2)
  const verdicts = await Promise.all(given.map(each => isSignature(key, each, signed)))
  if (!verdicts.includes(true)) refuse('No signature matches the secret')
  return readEvent(id, new TextDecoder().decode(bytes))
}

function refuse(message: string): never {
  throw new SallyportError(message, { status: 401, code: 'INVALID_SIGNATURE' })
}

function readHeader(headers: WebhookDelivery['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  return typeof value === 'string' ? value : ''
}

async function importKey(secret: string): Promise<CryptoKey> {
  const bytes = secret.startsWith(prefix) ? fromBase64(secret.slice(prefix.length)) : null
  if (bytes === null || bytes.length === 0) throw new TypeError('secret must be that of a webhook: whsec_…')
  return await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/** The comparison takes the same time wherever they differ. */
async function isSignature(key: CryptoKey, given: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const bytes = given.startsWith('v1,') ? fromBase64(given.slice(3)) : null
  return bytes !== null && (await crypto.subtle.verify('HMAC', key, bytes, signed))
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 !== 0) return null
  return Uint8Array.from(atob(text), character => character.charCodeAt(0))
}

function readEvent(id: string, body: string): WebhookEvent {
  const { type, timestamp, tenant_id, project_id, data } = toRecord(parseJson(body))
  const isEvent = typeof type === 'string' && typeof timestamp === 'string' && typeof tenant_id === 'string'
  if (!isEvent) refuse('The body is no event')
  const projectId = typeof project_id === 'string' ? project_id : null
  return { id, type, timestamp, tenantId: tenant_id, projectId, data: toRecord(data) }
}
