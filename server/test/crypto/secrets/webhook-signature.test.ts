// Signatures of webhooks against the vector that the convention's libraries publish.
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { newWebhookSecret, signWebhook } from '../../../src/crypto/secrets/webhook-signature.ts'

const message = {
  id: 'msg_loFOjxBNrRLzqYUf',
  timestamp: 1_731_705_121,
  body: '{"event_type":"ping","data":{"success":true}}',
}
const secret = 'whsec_plJ3nmyCDGBKInavdOK15jsl'
const signature = 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0='

test('the signature is the one that receivers expect', () => {
  expect(signWebhook(message, [secret])).toBe(signature)
})

test('two secrets give two signatures, in their order', () => {
  const other = newWebhookSecret(randomBytes)
  const [first, second, ...rest] = signWebhook(message, [other, secret]).split(' ')
  expect([first, second, rest]).toEqual([signWebhook(message, [other]), signature, []])
})

test('a secret is 32 random bytes', () => {
  const secrets = [newWebhookSecret(randomBytes), newWebhookSecret(randomBytes)]
  for (const each of secrets) expect(each).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(secrets[0]).not.toBe(secrets[1])
})
