// Dashboard sessions of an OIDC issuer: who gets in, who does not, and that an ended one is dead on every copy.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keySetText, makeKey, makeToken, type TestAlgorithm, type TestKey } from '../../crypto/token-kit.ts'
import { describeEachBackend, type ManagementHarness, startManagement } from '../../support/management-harness.ts'
import { type InProcess, inProcessOwner, startInProcess } from '../../support/management-in-process.ts'
import { type KeySetServer, startKeySetServer } from '../../support/simulated/key-set-server.ts'
import { type Product, startProduct } from '../../support/start-product.ts'

const current = '/auth/v1/sessions/current'
const issuer = 'https://login.example.com/'
const audience = 'dashboard'
const keys = Object.fromEntries(
  (['RS256', 'PS256', 'ES256', 'EdDSA'] as const).map(alg => [alg, makeKey(`key-${alg}`, alg)]),
) as Record<TestAlgorithm, TestKey>
const foreignKey = makeKey('key-RS256')

interface Told {
  claims?: Record<string, unknown>
  header?: Record<string, unknown>
  alg?: TestAlgorithm
  key?: TestKey
  nowMs?: number
}

function tokenOf({ claims, header, alg = 'RS256', key = keys[alg], nowMs = Date.now() }: Told = {}): string {
  const now = Math.floor(nowMs / 1000)
  const standard = { iss: issuer, aud: audience, sub: 'u|1', iat: now, exp: now + 3600, email_verified: true }
  return makeToken(
    key,
    { alg, typ: 'JWT', kid: key.kid, ...header },
    { ...standard, email: 'owner@example.com', ...claims },
    alg,
  )
}

const envOf = (server: KeySetServer) => ({
  SESSION_ISSUER: issuer,
  SESSION_JWKS_URL: server.url,
  SESSION_AUDIENCE: audience,
})

describeEachBackend('sessions of an OIDC issuer', start => {
  let server: KeySetServer
  let plane: ManagementHarness
  beforeAll(async () => {
    server = await startKeySetServer(keySetText(...Object.values(keys)))
    plane = await start({ env: envOf(server), own: true })
  })
  afterAll(() => server.stop())

  const whoIs = (token: string) => plane.call('GET', current, { session: token })

  test.each<[string, Told]>([
    ['RS256', {}],
    ['PS256', { alg: 'PS256' }],
    ['ES256', { alg: 'ES256' }],
    ['EdDSA', { alg: 'EdDSA' }],
    ['no typ', { header: { typ: undefined } }],
    ['several audiences', { claims: { aud: ['other', audience] } }],
    ['an email in capitals', { claims: { email: 'OWNER@Example.com' } }],
  ])('accepts %s', async (_case, told) => {
    const answer = await whoIs(tokenOf(told))
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ id: plane.owner.id, email: plane.owner.email })
  })

  test.each<[string, Told]>([
    ['an email nobody has here', { claims: { email: 'nobody@example.com' } }],
    ['an email that is not verified', { claims: { email_verified: false } }],
    ['an email verified in words', { claims: { email_verified: 'true' } }],
    ['an email that nobody verified', { claims: { email_verified: undefined } }],
    ['no email', { claims: { email: undefined } }],
    ['a list of emails', { claims: { email: ['owner@example.com'] } }],
    ['an issuer without its slash', { claims: { iss: issuer.slice(0, -1) } }],
    ['another audience', { claims: { aud: 'other' } }],
    ['no audience', { claims: { aud: undefined } }],
    ['no subject', { claims: { sub: undefined } }],
    ['an expired token', { claims: { exp: Math.floor(Date.now() / 1000) - 1 } }],
    ['no expiry', { claims: { exp: undefined } }],
    ['a token of tomorrow', { claims: { nbf: Math.floor(Date.now() / 1000) + 3600 } }],
    ['another key of the same kid', { key: foreignKey }],
    ['no kid', { header: { kid: undefined } }],
    ['an unknown kid', { header: { kid: 'unknown' } }],
    ['no algorithm', { header: { alg: 'none' } }],
    ['another algorithm than the key has', { header: { alg: 'ES256' } }],
    ['a critical header', { header: { crit: ['exp'] } }],
    ['a logout token', { header: { typ: 'logout+jwt' } }],
  ])('refuses %s', async (_case, told) => {
    const answer = await whoIs(tokenOf(told))
    expect([answer.status, answer.body]).toEqual([401, { error: 'Invalid session' }])
  })

  test('makes no account, and gives no more than the memberships do', async () => {
    const count = async () => (await plane.query('select id from users')).length
    const before = await count()
    await whoIs(tokenOf({ claims: { email: 'newcomer@example.com' } }))
    expect(await count()).toBe(before)
    const tenant = await plane.makeTenant()
    const person = await plane.makePerson({ tenantId: tenant.id, role: 'viewer' })
    const session = tokenOf({ claims: { email: person.email, role: 'owner', tid: tenant.id } })
    expect((await plane.call('GET', `/auth/v1/tenants/${tenant.id}`, { session })).status).toBe(200)
    const write = await plane.call('POST', `/auth/v1/tenants/${tenant.id}/projects`, { session, body: { name: 'P' } })
    expect([write.status, write.body]).toEqual([403, { error: 'Forbidden' }])
  })

  test('clears the older password, links and sessions of an account that a link made, once', async () => {
    const tenant = await plane.makeTenant()
    const person = await plane.makePerson({ tenantId: tenant.id, role: 'viewer' })
    const reset = await plane.call('POST', `/auth/v1/tenants/${tenant.id}/members/${person.id}/reset-link`, {
      session: plane.owner.session,
    })
    const session = tokenOf({ claims: { email: person.email } })
    expect((await Promise.all([whoIs(session), whoIs(session)])).map(({ status }) => status)).toEqual([200, 200])
    const login = { email: person.email, password: person.password }
    expect((await plane.call('POST', '/auth/v1/sessions', { body: login })).status).toBe(401)
    expect((await plane.call('GET', '/auth/v1/sessions/current', person)).status).toBe(401)
    const token = new URL((reset.body as { reset_url: string }).reset_url).hash.slice('#token='.length)
    const accept = { token, password: 'a password of mine' }
    expect((await plane.call('POST', '/auth/v1/password-resets/accept', { body: accept })).status).toBe(404)
    // A password that the operator lets the person choose later stays.
    const { adminSecret } = plane
    const later = await plane.call('POST', `/v1/admin/users/${person.id}/reset-link`, { adminSecret })
    accept.token = new URL((later.body as { reset_url: string }).reset_url).hash.slice('#token='.length)
    expect((await plane.call('POST', '/auth/v1/password-resets/accept', { body: accept })).status).toBe(200)
    expect((await whoIs(session)).status).toBe(200)
    const chosen = { email: person.email, password: accept.password }
    expect((await plane.call('POST', '/auth/v1/sessions', { body: chosen })).status).toBe(200)
    // The operator made the first account, and knows its password.
    expect((await whoIs(tokenOf({ claims: { email: plane.owner.email } }))).status).toBe(200)
    expect((await plane.call('GET', '/auth/v1/sessions/current', plane.owner)).status).toBe(200)
  })

  test('folds no foreign letter into a plain one', async () => {
    const tenant = await plane.makeTenant()
    const email = `kate@${tenant.id}.example.com`
    const { body } = await plane.call('POST', `/auth/v1/tenants/${tenant.id}/members`, {
      session: plane.owner.session,
      body: { email, role: 'member' },
    })
    const token = new URL((body as { invite_url: string }).invite_url).hash.slice('#token='.length)
    await plane.call('POST', '/auth/v1/invitations/accept', { body: { token, password: 'a long password' } })
    expect((await whoIs(tokenOf({ claims: { email: email.replace('k', 'K') } }))).status).toBe(200)
    expect((await whoIs(tokenOf({ claims: { email: email.replace('k', '\u212a') } }))).status).toBe(401)
  })

  test('never meets minted tokens', async () => {
    const project = await plane.makeProject((await plane.makeTenant()).id)
    const { api_key } = await plane.makeApiKey(project.id)
    const minted = await plane.call('POST', '/auth/v1/auth/mint', {
      apiKey: api_key,
      body: { user_id: 'owner@example.com', role: 'admin' },
    })
    expect(minted.status).toBe(200)
    expect((await whoIs((minted.body as { access_token: string }).access_token)).status).toBe(401)
  })

  test('ends a session at once, in whatever form its signature comes', async () => {
    const token = tokenOf({ alg: 'ES256', claims: { jti: 'ended' } })
    expect((await plane.call('DELETE', current, { session: token })).status).toBe(204)
    const [header, payload, signature = ''] = token.split('.')
    for (const form of [token, `${header}.${payload}.${otherForm(signature)}`]) {
      expect((await whoIs(form)).body).toEqual({ error: 'Invalid session' })
      expect((await plane.call('DELETE', current, { session: form })).status).toBe(401)
    }
    expect((await whoIs(tokenOf({ alg: 'ES256', claims: { jti: 'open' } }))).status).toBe(200)
  })
})

/** (r, n - s) verifies wherever (r, s) does. */
function otherForm(signature: string): string {
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
  const bytes = Buffer.from(signature, 'base64url')
  const s = order - BigInt(`0x${bytes.subarray(32).toString('hex')}`)
  return Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]).toString(
    'base64url',
  )
}

describe('an OIDC session on two copies', () => {
  let server: KeySetServer
  let plane: ManagementHarness
  let copy: Product
  beforeAll(async () => {
    server = await startKeySetServer(keySetText(keys.RS256))
    plane = await startManagement('postgres', { env: envOf(server), own: true })
    copy = await startProduct({ env: plane.env })
  })
  afterAll(async () => {
    await copy.stop()
    await plane.stop()
    await server.stop()
  })

  test('ends on both at once', async () => {
    const token = tokenOf()
    const atCopy = async () =>
      (await fetch(copy.baseUrl + current, { headers: { authorization: `Bearer ${token}` } })).status
    expect(await atCopy()).toBe(200)
    expect((await plane.call('DELETE', current, { session: token })).status).toBe(204)
    expect(await atCopy()).toBe(401)
  })
})

describe('an OIDC issuer that fails', () => {
  let server: KeySetServer
  let plane: InProcess
  beforeAll(async () => {
    server = await startKeySetServer(keySetText(keys.RS256))
    plane = await startInProcess({ sessionIssuer: { issuer, jwksUrl: server.url, audience } })
  })
  afterAll(async () => {
    await plane.stop()
    await server.stop()
  })

  const whoIs = () => {
    const token = tokenOf({ claims: { email: inProcessOwner.email }, nowMs: plane.clock.now() })
    return plane.call('GET', current, { token })
  }

  test('is asked for its keys when the first token comes, and is missed for an hour before 503', async () => {
    server.answer(response => response.writeHead(500).end())
    expect(await whoIs()).toMatchObject({ status: 503, body: { error: 'Session issuer unavailable', retryable: true } })
    server.answer(keySetText(keys.RS256))
    plane.clock.advance(31_000)
    expect((await whoIs()).status).toBe(200)
    server.answer('{"keys":[]}')
    plane.clock.advance(59 * 60_000)
    expect((await whoIs()).status).toBe(200)
    plane.clock.advance(2 * 60_000)
    expect((await whoIs()).status).toBe(503)
    expect((await plane.call('GET', current, { token: await plane.signIn() })).status).toBe(200)
  })

  test('brings a new key and drops an old one without a restart', async () => {
    const next = makeKey('key-next')
    const whoIsBy = (key: TestKey) => {
      const token = tokenOf({ claims: { email: inProcessOwner.email }, key, nowMs: plane.clock.now() })
      return plane.call('GET', current, { token })
    }
    plane.clock.advance(60_000)
    server.answer(keySetText(keys.RS256))
    expect((await whoIs()).status).toBe(200)
    server.answer(keySetText(next))
    plane.clock.advance(31_000)
    expect((await whoIsBy(next)).status).toBe(200)
    expect((await whoIsBy(keys.RS256)).status).toBe(401)
  })

  test('is asked once in half a minute about unknown kids', async () => {
    server.answer(keySetText(keys.RS256))
    plane.clock.advance(60_000)
    expect((await whoIs()).status).toBe(200)
    const before = server.requests()
    for (let kid = 0; kid < 20; kid++) {
      const token = tokenOf({ header: { kid: `unknown-${kid}` }, nowMs: plane.clock.now() })
      expect((await plane.call('GET', current, { token })).status).toBe(401)
    }
    expect(server.requests() - before).toBeLessThanOrEqual(1)
  })
})
