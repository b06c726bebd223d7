// Token inspection over the wire: for good and bad tokens of both kinds whether the project accepts them, and why not;
// and that the token itself stays nowhere.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { encode, externalClaims, keySetText, makeKey, makeToken } from '../../../crypto/token-kit.ts'
import { describeEachBackend, type ManagementHarness } from '../../../support/management-harness.ts'
import { type KeySetServer, startKeySetServer } from '../../../support/simulated/key-set-server.ts'

interface Inspection {
  valid: boolean
  reason: string | null
  header: Record<string, unknown> | null
  claims: Record<string, unknown> | null
  source: string | null
}

const idpKey = makeKey('idp-1')
const issuer = 'https://idp.example.com/'

describeEachBackend('token inspection', start => {
  let server: KeySetServer
  let plane: ManagementHarness
  let tenantId: string
  let project: { id: string; slug: string; apiKey: string }
  const session = () => ({ session: plane.owner.session })
  const makeProject = async () => {
    const { id, slug } = await plane.makeProject(tenantId)
    return { id, slug, apiKey: (await plane.makeApiKey(id)).api_key }
  }
  const post = (token: unknown, projectId = project.id) =>
    plane.call('POST', `/auth/v1/projects/${projectId}/inspect-token`, { ...session(), body: { token } })
  const inspect = async (token: string, projectId?: string): Promise<Inspection> => {
    const answer = await post(token, projectId)
    expect(answer.status).toBe(200)
    return answer.body as Inspection
  }
  const mint = async (userId: string, { apiKey } = project) => {
    const { body } = await plane.call('POST', '/auth/v1/auth/mint', { apiKey, body: { user_id: userId } })
    return (body as { access_token: string }).access_token
  }
  /** The gateway is the judge of whom it lets in. */
  const isAccepted = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await plane.call('GET', `/p/${project.slug}/v1/threads`, { headers })).status === 200
  }

  beforeAll(async () => {
    server = await startKeySetServer(keySetText(idpKey))
    plane = await start({ env: { SYNC_INTERVAL: '1', OUTBOUND_ALLOW: '127.0.0.1' } })
    tenantId = (await plane.makeTenant({ plan: 'pro' })).id
    project = await makeProject()
    const path = `/auth/v1/projects/${project.id}/identity-provider`
    await plane.call('PUT', path, { ...session(), body: { issuer, jwks_url: server.url, audience: 'chat' } })
    const synced = async () =>
      ((await plane.call('GET', path, session())).body as Record<string, unknown>)['last_synced_at']
    await vi.waitFor(async () => expect(await synced()).not.toBeNull(), { timeout: 60_000, interval: 100 })
  })
  afterAll(() => server.stop())

  const now = Math.floor(Date.now() / 1000)
  const external = (claims: Record<string, unknown> = {}, key = idpKey) =>
    makeToken(
      key,
      { alg: 'RS256', kid: key.kid },
      externalClaims({ iss: issuer, aud: 'chat', sub: 'alice', iat: now - 60, exp: now + 3_600, ...claims }),
    )

  test('a minted token is valid, with its header and claims', async () => {
    const token = await mint('alice')
    expect(await inspect(` ${token}\n`)).toEqual({
      valid: true,
      reason: null,
      source: 'service',
      header: { alg: 'RS256', typ: 'JWT', kid: 'default' },
      claims: expect.objectContaining({ uid: 'alice', pid: project.id, tid: tenantId, role: 'user' }),
    })
    expect(await isAccepted(token)).toBe(true)
  })

  test('a token of the identity provider is valid', async () => {
    expect(await inspect(external())).toMatchObject({
      valid: true,
      reason: null,
      source: 'external',
      claims: { sub: 'alice' },
    })
    await expect.poll(() => isAccepted(external())).toBe(true)
  })

  test.each([
    ['an expired one', () => external({ exp: now - 1 }), 'The token has expired (exp)', 'external'],
    [
      'a foreign issuer',
      () => external({ iss: 'https://x.example' }),
      'The issuer (iss) is not the one expected',
      'external',
    ],
    ['a foreign audience', () => external({ aud: 'x' }), 'The audience (aud) is not the one expected', 'external'],
    [
      'a reserved subject',
      () => external({ sub: 'admin' }),
      'The user id claim is missing, reserved or not accepted',
      'external',
    ],
    ['an unknown key', () => external({}, makeKey('idp-2')), 'No key with this key id (kid) is known', null],
    ['another key of that name', () => external({}, makeKey('idp-1')), 'The signature is wrong', 'external'],
    [
      'no key id',
      () => makeToken(idpKey, { alg: 'RS256' }, externalClaims()),
      'The header has no usable key id (kid)',
      null,
    ],
    ['an API key', () => project.apiKey, 'The token does not have three parts', null],
    ['a part that is no JSON', () => `${encode({ alg: 'RS256' })}.%%.x`, 'A part of the token is not base64url', null],
    ['what is too long', () => `a.${'b'.repeat(9_000)}.c`, 'The token is longer than 8 KiB', null],
    ['nothing', () => '', 'The token does not have three parts', null],
  ])('%s is not', async (_name, make, reason, source) => {
    const token = make()
    expect(await inspect(token)).toMatchObject({ valid: false, reason, source })
    if (token !== '') expect(await isAccepted(token)).toBe(false)
  })

  test('neither is a token of another project, of a revoked or of a blocked user', async () => {
    const other = await makeProject()
    const foreign = await mint('alice', other)
    expect(await inspect(foreign)).toMatchObject({ valid: false, reason: 'The token belongs to another project' })
    expect(await inspect(foreign, other.id)).toMatchObject({ valid: true })
    const users = `/auth/v1/projects/${other.id}/users/alice`
    await plane.call('PUT', `${users}/block`, { ...session(), body: {} })
    expect(await inspect(foreign, other.id)).toMatchObject({ valid: false, reason: 'The user is blocked' })
    await plane.call('POST', `${users}/revoke-tokens`, session())
    expect(await inspect(foreign, other.id)).toMatchObject({ valid: false, reason: 'The token was revoked' })
  })

  test('no part of a token is in the log', async () => {
    const token = external({ iss: 'https://not-in-the-log.example' })
    await inspect(token)
    await expect.poll(() => plane.product.stderr()).toContain('inspect-token')
    for (const part of [...token.split('.'), 'not-in-the-log']) expect(plane.product.stderr()).not.toContain(part)
  })

  describe('refuses', () => {
    test.each([
      [undefined, 'token is required'],
      [5, 'token must be a string'],
      [null, 'token must be a string'],
    ])('%j', async (token, error) => {
      expect(await post(token)).toMatchObject({ status: 400, body: { error } })
    })

    test('more than sixty a minute of a project, and only that project\u2019s', async () => {
      const [busy, quiet] = [await makeProject(), await makeProject()]
      const answers = await Promise.all(Array.from({ length: 61 }, () => post('x', busy.id)))
      const refused = answers.filter(({ status }) => status === 429)
      expect(refused).toHaveLength(1)
      expect(refused[0]?.body).toEqual({
        error: 'Too many token inspections. Try again in a minute.',
        code: 'RATE_LIMITED',
      })
      expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await post('x', quiet.id)).status).toBe(200)
    })
  })
})
