// The wire formats of meter events: CloudEvents 1.0 as a batch of JSON, and Stripe's meter events, one in each request.

import { hash } from 'node:crypto'
import { signWebhook } from '../crypto/secrets/webhook-signature.ts'
import { type MeterEvent, type MeterValue, usdText } from '../domain/meters/meter.ts'

/** What the requests of a meter are made of. */
export interface MeterFormatting {
  tenantId: string
  eventName: string
  value: MeterValue
  secret: string
  /** Epoch ms. */
  time: number
}

interface EventRequest {
  headers: Record<string, string>
  body: string
}

const userAgent = 'Sallyport-Meters'
const signingSecret = 'whsec_'

/** Whether a secret signs each request. Any other one is sent as a bearer token. */
export function isSigningSecret(secret: string): boolean {
  return secret.startsWith(signingSecret)
}

export function writeCloudEvents(events: readonly MeterEvent[], meter: MeterFormatting): EventRequest {
  const body = JSON.stringify(events.map(event => cloudEventOf(event, meter)))
  return { body, headers: cloudEventHeaders(body, meter) }
}

/** Tests a receiver: a type that no meter counts, and a value of 0. */
export function writeTestCloudEvent(id: string, meter: MeterFormatting): EventRequest {
  const [source, time] = [sourceOf(meter), new Date(meter.time).toISOString()]
  const event = { specversion: '1.0', id, source, type: 'sallyport.meter_test', subject: 'test', time }
  const body = JSON.stringify([{ ...event, datacontenttype: 'application/json', data: { value: '0' } }])
  return { body, headers: cloudEventHeaders(body, meter) }
}

function cloudEventOf({ request, subject, amount }: MeterEvent, meter: MeterFormatting) {
  return {
    specversion: '1.0',
    id: request.requestId,
    source: sourceOf(meter),
    type: meter.eventName,
    subject,
    time: new Date(request.at).toISOString(),
    datacontenttype: 'application/json',
    data: {
      value: meter.value === 'cost_usd' ? usdText(amount) : String(amount),
      cost_usd: usdText(request.cost),
      prompt_tokens: request.promptTokens,
      completion_tokens: request.completionTokens,
      total_tokens: request.totalTokens,
      project_id: request.projectId,
      tier: request.tier,
      model: request.model,
      provider: request.provider,
      endpoint: request.endpoint,
    },
  }
}

const sourceOf = ({ tenantId }: MeterFormatting) => `/tenants/${tenantId}`

function cloudEventHeaders(body: string, { secret, time }: MeterFormatting): Record<string, string> {
  const headers = { 'content-type': 'application/cloudevents-batch+json; charset=utf-8', 'user-agent': userAgent }
  if (!isSigningSecret(secret)) return { ...headers, authorization: `Bearer ${secret}` }
  // By the content: a receiver that skips an id it knows must not skip a batch of other events.
  const id = hash('sha256', body)
  const timestamp = Math.floor(time / 1000)
  return {
    ...headers,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signWebhook({ id, timestamp, body }, [secret]),
  }
}

/** Stripe takes whole numbers only: a cost is counted in nano-dollars. */
export function writeStripeEvent(event: MeterEvent, meter: MeterFormatting): EventRequest {
  const { request, subject, amount } = event
  const fields = { identifier: request.requestId, at: request.at, subject, amount }
  return stripeRequest(fields, meter)
}

export function writeTestStripeEvent(id: string, subject: string, meter: MeterFormatting): EventRequest {
  return stripeRequest({ identifier: id, at: meter.time, subject, amount: 0 }, meter)
}

interface StripeFields {
  identifier: string
  at: number
  subject: string
  amount: number
}

function stripeRequest(fields: StripeFields, { eventName, secret }: MeterFormatting): EventRequest {
  const form = new URLSearchParams({
    event_name: eventName,
    'payload[stripe_customer_id]': fields.subject,
    'payload[value]': String(fields.amount),
    identifier: fields.identifier,
    timestamp: String(Math.floor(fields.at / 1000)),
  })
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'user-agent': userAgent,
    authorization: `Bearer ${secret}`,
  }
  return { headers, body: form.toString() }
}
