// Tests the whole product with JWKS_URL set: its gateway verifies tokens against that key set, even if the process also
// has the api role.
import { expect, onTestFinished, test } from 'vitest'
import { audience, keySetText, makeKey, makeToken, ownClaims, ownHeader } from '../../crypto/token-kit.ts'
import { startManagement } from '../../support/management-harness.ts'
import { startKeySetServer } from '../../support/simulated/key-set-server.ts'
import { processesOfProduct } from '../../support/start-product.ts'

const issuer = 'https://mint.example.net'
const key = makeKey('their-key')

test('the key set at JWKS_URL counts, and each process asks for it twice at most, however many kids are unknown', async () => {
  const keySet = await startKeySetServer(keySetText(key))
  onTestFinished(() => keySet.stop())
  const harness = await startManagement('sqlite', {
    own: true,
    env: { JWKS_URL: keySet.url, JWT_ISSUER: issuer, PLATFORM_DEFAULT_MODEL: 'openai/gpt-4o-mini' },
  })
  onTestFinished(() => harness.stop())
  const { id: tid } = await harness.makeTenant()
  const { id: pid, slug } = await harness.makeProject(tid)
  const iat = Math.floor(Date.now() / 1000)
  const claims = ownClaims({ iss: issuer, aud: audience, tid, pid, iat, nbf: iat, exp: iat + 600 })
  const ask = async (kid: string) => {
    const token = makeToken(key, { ...ownHeader(key), kid }, claims)
    return (await harness.call('GET', `/p/${slug}/v1/models`, { apiKey: token })).status
  }
  expect(await ask('their-key')).toBe(200)
  expect(await ask('default')).toBe(401)
  for (let index = 0; index < 50; index++) expect(await ask(`unknown-${index}`)).toBe(401)
  expect(keySet.requests()).toBeGreaterThanOrEqual(2)
  expect(keySet.requests()).toBeLessThanOrEqual(2 * processesOfProduct)
})
