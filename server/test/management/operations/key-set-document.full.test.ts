// The published key set, previous keys in it, and the starts that are refused because a kid would name two keys.
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { startProduct } from '../../support/start-product.ts'
import { expectOk, type Minted, mint } from '../requests.ts'

interface Key {
  pem: string
  publicJwk(kid: string): Record<string, unknown>
}

function newKey(): Key {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()
  const publicJwk = (kid: string) => ({ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' })
  return { pem: pem(privateKey), publicJwk }
}

const [current, former] = [newKey(), newKey()]

async function readKeys(plane: ManagementHarness): Promise<Record<string, unknown>[]> {
  const answer = await plane.call('GET', '/.well-known/jwks.json')
  return expectOk<{ keys: Record<string, unknown>[] }>(answer).keys
}

describeEachBackend('the key set', start => {
  test('publishes the key that signs, without its private half, and says how long it may be kept', async () => {
    const plane = await start({ env: { JWT_PRIVATE_KEY: current.pem }, own: true })
    expect(await readKeys(plane)).toEqual([current.publicJwk('default')])
    const answer = await plane.call('GET', '/.well-known/jwks.json')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    const { api_key } = await plane.makeApiKey((await plane.makeProject((await plane.makeTenant()).id)).id)
    const { access_token } = expectOk<Minted>(await mint(plane, api_key))
    const keys = createLocalJWKSet({ keys: await readKeys(plane) } as Parameters<typeof createLocalJWKSet>[0])
    expect((await jwtVerify(access_token, keys)).protectedHeader.kid).toBe('default')
  })

  test('publishes previous keys behind the current one, and claims follow the environment', async () => {
    const plane = await start({
      env: {
        JWT_PRIVATE_KEY: current.pem,
        JWT_KEY_ID: 'second',
        JWT_ISSUER: 'https://issuer.test',
        JWT_AUDIENCE: 'app',
        JWT_PREVIOUS_KEYS: JSON.stringify([former.publicJwk('first'), current.publicJwk('second')]),
      },
    })
    const keys = [current.publicJwk('second'), former.publicJwk('first')]
    expect(await readKeys(plane)).toEqual(keys)
    const { api_key } = await plane.makeApiKey((await plane.makeProject((await plane.makeTenant()).id)).id)
    const { access_token } = expectOk<Minted>(await mint(plane, api_key))
    const { payload, protectedHeader } = await jwtVerify(
      access_token,
      createLocalJWKSet({ keys } as unknown as Parameters<typeof createLocalJWKSet>[0]),
    )
    expect(protectedHeader.kid).toBe('second')
    expect(payload).toMatchObject({ iss: 'https://issuer.test', aud: 'app' })
  })
})

describe('a start is refused', () => {
  const minimal = { ADMIN_SECRET: 'admin-secret-of-the-tests', BOOTSTRAP_EMAIL: 'o@example.com' }
  const secrets = { ...minimal, BOOTSTRAP_PASSWORD: 'correct horse battery staple' }

  describeEachBackend('with another key under a kid that was used', (start, backend) => {
    test('and accepted with a kid of its own', async () => {
      const plane = await start({ env: { JWT_PRIVATE_KEY: former.pem }, own: true })
      const env = { ...secrets, ...plane.env }
      await plane.product.stop()
      const refused = await startProduct({ env: { ...env, JWT_PRIVATE_KEY: current.pem }, waitForReady: false })
      expect(await refused.exitCode).not.toBe(0)
      expect(refused.stderr()).toContain('JWT_KEY_ID')
      expect(refused.stderr()).not.toContain('PRIVATE KEY-')
      const previous = JSON.stringify([former.publicJwk('default')])
      const renamed = { JWT_PRIVATE_KEY: current.pem, JWT_KEY_ID: 'next', JWT_PREVIOUS_KEYS: previous }
      const next = await startProduct({ env: { ...env, ...renamed } })
      const response = await fetch(`${next.baseUrl}/.well-known/jwks.json`)
      const { keys } = (await response.json()) as { keys: unknown[] }
      expect(keys).toEqual([current.publicJwk('next'), former.publicJwk('default')])
      await next.stop()
      expect(backend).toBe(plane.backend)
    })
  })

  test('where JWT_PREVIOUS_KEYS holds another key under the current kid', async () => {
    const previous = JSON.stringify([former.publicJwk('default')])
    const env = { ...secrets, JWT_PRIVATE_KEY: current.pem, JWT_PREVIOUS_KEYS: previous }
    const refused = await startProduct({ env, waitForReady: false })
    expect(await refused.exitCode).not.toBe(0)
    expect(refused.stderr()).toContain('JWT_PREVIOUS_KEYS')
  })
})
