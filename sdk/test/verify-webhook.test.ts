// Verifies deliveries that node:crypto signed as the product does, and refuses the rest. The product's own deliveries
// are in server/test/docs/webhooks.test.ts.
import { createHmac, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { verifyWebhook } from '../src/index.ts'
import { caught } from './answering-server.ts'

const key = randomBytes(32)
const secret = `whsec_${key.toString('base64')}`
const body = JSON.stringify({
  id: 'e-1',
  type: 'project_created',
  timestamp: '2026-11-23T12:00:00.000Z',
  tenant_id: 't-1',
  project_id: null,
  data: { slug: 'grüße' },
})

function sign(text: string, atSeconds = Math.floor(Date.now() / 1000), by = key) {
  const signature = createHmac('sha256', by).update(`e-1.${atSeconds}.${text}`).digest('base64')
  return { 'webhook-id': 'e-1', 'webhook-timestamp': String(atSeconds), 'webhook-signature': `v1,${signature}` }
}
const headers = sign(body)
const event = {
  id: 'e-1',
  type: 'project_created',
  timestamp: '2026-11-23T12:00:00.000Z',
  tenantId: 't-1',
  projectId: null,
  data: { slug: 'grüße' },
}

describe('a delivery', () => {
  test.each<[string, Parameters<typeof verifyWebhook>[0]]>([
    ['as text', { secret, headers, body }],
    ['as bytes', { secret, headers, body: new TextEncoder().encode(body) }],
    ['with headers of fetch', { secret, headers: new Headers(headers), body }],
    [
      'during a rotation',
      { secret, headers: { ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` }, body },
    ],
    ['that is old, if that is allowed', { secret, headers: sign(body, 1_000_000_000), body, toleranceSeconds: 1e9 }],
  ])('is read: %s', async (_what, delivery) => {
    expect(await verifyWebhook(delivery)).toEqual(event)
  })

  const now = Math.floor(Date.now() / 1000)
  test.each<[string, Record<string, string>, string]>([
    ['a changed body', headers, `${body} `],
    ['another id', { ...headers, 'webhook-id': 'e-2' }, body],
    ['another secret', sign(body, now, randomBytes(32)), body],
    ['a delivery of five minutes ago', sign(body, now - 302), body],
    ['a delivery of the future', sign(body, now + 302), body],
    ['a time that is none', { ...headers, 'webhook-timestamp': 'now' }, body],
    ['no time', { ...headers, 'webhook-timestamp': '' }, body],
    ['another version', { ...headers, 'webhook-signature': headers['webhook-signature'].replace('v1', 'v2') }, body],
    ['a signature that is no base64', { ...headers, 'webhook-signature': 'v1,*' }, body],
    ['no signature', {}, body],
    ['a signed body that is no event', sign('[]'), '[]'],
  ])('is refused: %s', async (_what, sent, text) => {
    const error = await caught(verifyWebhook({ secret, headers: sent, body: text }))
    expect(error).toMatchObject({ name: 'SallyportError', status: 401, code: 'INVALID_SIGNATURE' })
  })

  test.each(['', 'whsec_', 'whsec_*', key.toString('base64')])('needs the secret of a webhook, not %j', async wrong => {
    expect(await caught(verifyWebhook({ secret: wrong, headers, body }))).toBeInstanceOf(TypeError)
  })
})
