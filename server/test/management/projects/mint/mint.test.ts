// Minting by the rows of the contract: 401 before 400, every rule of the body, the claims of what comes out, both
// hosts, the limit per key, and the slow hash under many keys at once.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Answer, describeEachBackend, type ManagementHarness } from '../../../support/management-harness.ts'
import {
  callHost,
  expectOk,
  expectRefusal,
  type Minted,
  mint,
  mintPath,
  times,
  uuid,
  verifyMinted,
} from '../../requests.ts'

const badRole = 'role is not a permitted role. Allowed: user, dashboard-service, admin'
const reserved = 'user_id cannot use a reserved identifier'
const prefixed = 'user_id cannot use the svc: prefix (reserved for service accounts)'

describeEachBackend('the mint', start => {
  let plane: ManagementHarness
  let tenant: { id: string }
  let project: { id: string; slug: string }
  let other: { id: string; slug: string }
  let key: { id: string; api_key: string }
  let serviceKey: string

  beforeAll(async () => {
    plane = await start()
    tenant = await plane.makeTenant({ plan: 'pro' })
    project = await plane.makeProject(tenant.id)
    other = await plane.makeProject(tenant.id)
    key = await plane.makeApiKey(project.id)
    serviceKey = await makeKey({ role: 'dashboard-service' })
  })

  async function makeKey(body: object, projectId = project.id): Promise<string> {
    const path = `/auth/v1/projects/${projectId}/api-keys`
    const made = await plane.call('POST', path, { session: plane.owner.session, body })
    return expectOk<{ api_key: string }>(made, 201).api_key
  }
  const minted = async (body: unknown, apiKey = key.api_key) => {
    const answer = expectOk<Minted>(await mint(plane, apiKey, body))
    return { answer, ...(await verifyMinted(plane, answer.access_token)) }
  }
  const withHeaders = (headers: Record<string, string>, body: unknown = {}): Promise<Answer> =>
    plane.call('POST', mintPath, { headers, body })

  describe('credentials, before anything else is looked at', () => {
    test.each<[string, () => Promise<Answer>, string]>([
      ['no header', () => withHeaders({}), 'Bearer token required'],
      ['another scheme', () => withHeaders({ authorization: `Basic ${key.api_key}` }), 'Bearer token required'],
      ['a bare word', () => withHeaders({ authorization: 'Bearer' }), 'Bearer token required'],
      ['the key without its scheme', () => withHeaders({ authorization: key.api_key }), 'Bearer token required'],
      ['another prefix', () => mint(plane, 'sk_live_0123456789abcdef', {}), 'Invalid API key format'],
      ['a session token', () => mint(plane, plane.owner.session, {}), 'Invalid API key format'],
      ['an upper-case prefix', () => mint(plane, key.api_key.toUpperCase(), {}), 'Invalid API key format'],
      ['two spaces', () => withHeaders({ authorization: `Bearer  ${key.api_key}` }), 'Invalid API key format'],
      ['an unknown key', () => mint(plane, `service_sk_live_${'0'.repeat(32)}`, {}), 'Invalid API key'],
      ['a key with one more character', () => mint(plane, `${key.api_key}0`, {}), 'Invalid API key'],
      ['the prefix alone', () => mint(plane, 'service_sk_live_', {}), 'Invalid API key'],
      ['broken JSON without a key', () => plane.call('POST', mintPath, { body: '{' }), 'Bearer token required'],
    ])('%s: 401', async (_what, call, words) => {
      expectRefusal(await call(), 401, words)
    })

    test('a revoked key, and a suspended project before its revoked keys', async () => {
      const quiet = await plane.makeProject(tenant.id)
      const [first, second] = [await plane.makeApiKey(quiet.id), await plane.makeApiKey(quiet.id)]
      const session = plane.owner.session
      for (const { api_key } of [first, second]) expectOk(await mint(plane, api_key))
      expectOk(await plane.call('DELETE', `/auth/v1/api-keys/${first.id}`, { session }))
      expectRefusal(await mint(plane, first.api_key, {}), 401, 'API key revoked')
      expectOk(await plane.call('POST', `/auth/v1/projects/${quiet.id}/suspend`, { session }))
      expectRefusal(await mint(plane, first.api_key, {}), 401, 'Project is suspended')
      expectRefusal(await mint(plane, second.api_key, {}), 401, 'Project is suspended')
    })

    test('a minted token buys no other', async () => {
      const { answer } = await minted({ user_id: 'user-1' })
      expectRefusal(await mint(plane, answer.access_token), 401, 'Invalid API key format')
    })
  })

  describe('the body', () => {
    test.each<[string, unknown, string]>([
      ['no body', undefined, 'user_id is required'],
      ['an empty one', {}, 'user_id is required'],
      ['a list', [], 'Request body must be a JSON object'],
      ['broken JSON', '{"user_id"', 'Invalid JSON body'],
      ['a number', { user_id: 1 }, 'user_id must be a string'],
      ['null', { user_id: null }, 'user_id must be a string'],
      ['nothing', { user_id: '' }, 'user_id must not be empty'],
      ['blanks', { user_id: ' \t ' }, 'user_id must not be empty'],
      ['256 characters', { user_id: 'u'.repeat(256) }, 'user_id must be at most 255 characters'],
      ...['dashboard-service', 'admin', 'system', 'internal', 'service', 'gateway', 'sentinel', 'sallyport'].flatMap(
        (name): [string, unknown, string][] => [
          [name, { user_id: name }, reserved],
          [`${name} in capitals`, { user_id: ` ${name.toUpperCase()} ` }, reserved],
        ],
      ),
      ['a reserved one with an invisible letter', { user_id: 'ad\u200bmin' }, reserved],
      ['the prefix', { user_id: 'svc:robot' }, prefixed],
      ['the prefix in capitals', { user_id: 'SVC:robot' }, prefixed],
      ['an unknown role', { user_id: 'u', role: 'owner' }, badRole],
      ['a role that is no text', { user_id: 'u', role: 7 }, badRole],
      ['59 seconds', { user_id: 'u', ttl: 59 }, 'ttl must be at least 60 seconds'],
      ['86,401 seconds', { user_id: 'u', ttl: 86_401 }, 'ttl must be at most 86400 seconds'],
      ['a fraction', { user_id: 'u', ttl: 60.5 }, 'ttl must be an integer'],
      ['a ttl in words', { user_id: 'u', ttl: '3600' }, 'ttl must be an integer'],
      ['a null ttl', { user_id: 'u', ttl: null }, 'ttl must be an integer'],
      ['a tier that is no text', { user_id: 'u', tier: 3 }, 'tier must be a string'],
      ['a session that is no text', { user_id: 'u', session_id: 3 }, 'session_id must be a string'],
      ['several faults, in the order of the table', { user_id: '', role: 'x', ttl: 1 }, 'user_id must not be empty'],
    ])('%s: 400', async (_what, body, words) => {
      expectRefusal(await plane.call('POST', mintPath, { apiKey: key.api_key, body }), 400, words)
    })

    test('the dashboard service key may name reserved users, and nobody a service account', async () => {
      expect((await minted({ user_id: 'dashboard-service' }, serviceKey)).claims).toMatchObject({
        uid: 'dashboard-service',
        role: 'dashboard-service',
      })
      expectRefusal(await mint(plane, serviceKey, { user_id: 'svc:x' }), 400, prefixed)
    })
  })

  describe('the token', () => {
    test('says what was asked for, under the published key', async () => {
      const before = Math.floor(Date.now() / 1000)
      const { answer, claims, header } = await minted({ user_id: '  user-1  ' })
      expect(answer).toEqual({
        access_token: expect.any(String),
        token_type: 'Bearer',
        project_id: project.id,
        expires_in: 3600,
      })
      expect(header).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'default' })
      const issuedAt = claims.iat ?? 0
      expect(issuedAt).toBeGreaterThanOrEqual(before)
      expect(claims).toEqual({
        tid: tenant.id,
        pid: project.id,
        uid: 'user-1',
        role: 'user',
        scp: [],
        iss: `http://localhost:${plane.product.port}`,
        aud: 'service',
        iat: issuedAt,
        nbf: issuedAt,
        exp: issuedAt + 3600,
        jti: expect.stringMatching(uuid),
      })
      expect((await minted({ user_id: 'user-1' })).claims.jti).not.toBe(claims.jti)
    })

    test.each<[string, object, object]>([
      ['the shortest life', { ttl: 60 }, { uid: 'u' }],
      ['the longest life', { ttl: 86_400 }, { uid: 'u' }],
      ['a role above the key’s own', { role: 'admin' }, { role: 'admin' }],
      ['a tier, trimmed', { tier: ' gold ' }, { tier: 'gold' }],
      ['255 characters', { user_id: 'ü'.repeat(255) }, { uid: 'ü'.repeat(255) }],
      ['a reserved word inside another', { user_id: 'admin-7' }, { uid: 'admin-7' }],
      ['a field nobody knows', { scope: 'all' }, { scp: [] }],
    ])('%s', async (_what, body, expected) => {
      const { answer, claims } = await minted({ user_id: 'u', ...body })
      expect(claims).toMatchObject(expected)
      expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(answer.expires_in)
      expect(answer.expires_in).toBe('ttl' in body ? body.ttl : 3600)
    })

    test('has no tier where none was asked for, and the role of its key', async () => {
      const { claims } = await minted({ user_id: 'u', tier: '' }, await makeKey({ role: 'admin' }))
      expect(claims).toMatchObject({ role: 'admin' })
      expect(claims).not.toHaveProperty('tier')
    })

    test('opens no management and no admin route, whatever its role', async () => {
      const { answer } = await minted({ user_id: 'u', role: 'admin' })
      const session = answer.access_token
      expectRefusal(await plane.call('GET', '/auth/v1/tenants', { session }), 401, 'Invalid session')
      const admin = await plane.call('GET', '/v1/admin/killswitch/status', { session, adminSecret: session })
      expectRefusal(admin, 401, 'Invalid admin secret')
    })
  })

  describe("on the project's own hosts", () => {
    const path = '/v1/auth/mint'
    const places = () =>
      [
        ['fqdn_prod', (body: object, apiKey?: string) => at(`${project.slug}.localhost`, path, body, apiKey)],
        ['fqdn_dev', (body: object, apiKey?: string) => at(`${project.slug}.dev.localhost`, path, body, apiKey)],
        [
          'the path form',
          (body: object, apiKey?: string) => at('localhost', `/p/${project.slug}${path}`, body, apiKey),
        ],
      ] as const
    const at = (host: string, where: string, body: object, apiKey: string = key.api_key) =>
      callHost(plane, { host, path: where, body, apiKey })

    test('a session id comes along, the caller’s or a new one', async () => {
      for (const [, call] of places()) {
        const given = await call({ user_id: 'u', session_id: 'talk-1', tier: 'gold', ttl: 60 })
        expect(given).toEqual({
          status: 200,
          body: {
            access_token: expect.any(String),
            token_type: 'Bearer',
            project_id: project.id,
            expires_in: 60,
            session_id: 'talk-1',
            warning: 'The project has no tier "gold"',
          },
        })
        const { claims } = await verifyMinted(plane, (given.body as Minted).access_token)
        expect(claims).toMatchObject({ pid: project.id, uid: 'u', tier: 'gold' })
        expect((await call({ user_id: 'u' })).body).toMatchObject({ session_id: expect.stringMatching(uuid) })
      }
    })

    test('the same rules and words', async () => {
      for (const [, call] of places()) {
        expect(await call({})).toEqual({ status: 400, body: { error: 'user_id is required' } })
        const words = 'session_id must be 1-128 characters of A-Z a-z 0-9 _ . : -'
        expect(await call({ user_id: 'u', session_id: 'a b' })).toEqual({ status: 400, body: { error: words } })
        expect(await call({}, 'nope')).toEqual({ status: 401, body: { error: 'Invalid API key format' } })
      }
    })

    test("another project's key is unknown there, even a revoked one", async () => {
      const foreign = await plane.makeApiKey(other.id)
      const unknown = { status: 401, body: { error: 'Invalid API key' } }
      for (const [, call] of places()) expect(await call({}, foreign.api_key)).toEqual(unknown)
      const session = plane.owner.session
      expectOk(await plane.call('DELETE', `/auth/v1/api-keys/${foreign.id}`, { session }))
      for (const [, call] of places()) expect(await call({}, foreign.api_key)).toEqual(unknown)
    })

    test('a host that is no project’s says so', async () => {
      for (const host of ['amber-nobody-10.localhost', 'amber-nobody-10.dev.localhost']) {
        const answer = await at(host, path, { user_id: 'u' })
        expect(answer).toMatchObject({ status: 404, body: { error: 'Unknown project host' } })
      }
      expect((await at('localhost', `/p/amber-nobody-10${path}`, { user_id: 'u' })).status).toBe(404)
    })

    test('each mint is known on its own host alone', async () => {
      expect((await at(`${project.slug}.localhost`, mintPath, { user_id: 'u' })).status).toBe(404)
      expect((await at('localhost', path, { user_id: 'u' })).status).toBe(404)
    })
  })

  test('a proof that is remembered hides no revocation and no suspension', async () => {
    const quiet = await plane.makeProject(tenant.id)
    const session = plane.owner.session
    for (const end of ['revoke', 'suspend']) {
      const { id, api_key } = await plane.makeApiKey(quiet.id)
      for (let round = 0; round < 3; round++) expectOk(await mint(plane, api_key))
      const path = end === 'revoke' ? `api-keys/${id}/revoke` : 'suspend'
      expectOk(await plane.call('POST', `/auth/v1/projects/${quiet.id}/${path}`, { session }))
      const words = end === 'revoke' ? 'API key revoked' : 'Project is suspended'
      for (const answer of await times(5, () => mint(plane, api_key))) expectRefusal(answer, 401, words)
    }
  })

  test('200 first mints with 50 keys at once are all answered', async () => {
    const keys: { api_key: string }[] = []
    for (let made = 0; made < 50; made++) keys.push(await plane.makeApiKey(project.id))
    const answers = await times(200, index => mint(plane, keys[index % 50]?.api_key ?? ''))
    expect(answers.map(answer => answer.status)).toEqual(answers.map(() => 200))
  })
})

describeEachBackend('the limit of mints', start => {
  const limit = 7
  const atOnce = inject('prove') ? 1000 : 200
  let plane: ManagementHarness
  let project: { id: string }

  beforeAll(async () => {
    plane = await start({ env: { MINT_RPM: String(limit) } })
    project = await plane.makeProject((await plane.makeTenant()).id)
  })
  afterAll(() => expect(plane.product.stderr()).not.toContain('service_sk_live_'))

  test(`of ${atOnce} at once exactly ${limit} get a token, and the others are told when`, async () => {
    const key = await plane.makeApiKey(project.id)
    const answers = await times(atOnce, () => mint(plane, key.api_key))
    const refused = answers.filter(answer => answer.status !== 200)
    expect(answers.length - refused.length).toBe(limit)
    for (const answer of refused) {
      expectRefusal(answer, 429, { error: 'Mint rate limit exceeded', code: 'RATE_LIMITED' })
      const retryAfter = Number(answer.headers.get('retry-after'))
      expect(retryAfter).toBeGreaterThanOrEqual(1)
      expect(retryAfter).toBeLessThanOrEqual(60)
    }
    const another = await plane.makeApiKey(project.id)
    expectOk(await mint(plane, another.api_key))
  })

  test('a body that is refused costs no mint', async () => {
    const key = await plane.makeApiKey(project.id)
    for (const answer of await times(3 * limit, () => mint(plane, key.api_key, {}))) expect(answer.status).toBe(400)
    const answers = await times(2 * limit, () => mint(plane, key.api_key))
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(limit)
  })

  test('a mint that fails behind the limit costs none, however many fail at once', async () => {
    const key = await plane.makeApiKey(project.id)
    const session = plane.owner.session
    expectOk(await plane.call('POST', `/auth/v1/projects/${project.id}/settings/deploy`, { session }))
    // The live config of the project cannot be read: the mint's side effects fail as a whole.
    await plane.query('alter table live_configs rename to live_configs_away', [])
    const failed = await times(3 * limit, () => mint(plane, key.api_key))
    expect(failed.map(answer => answer.status)).toContain(500)
    expect(failed.map(answer => answer.status)).not.toContain(200)
    await plane.query('alter table live_configs_away rename to live_configs', [])
    const answers = await times(2 * limit, () => mint(plane, key.api_key))
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(limit)
  })
})

/**
 * Above what the slow hash may have waiting, a first mint is told to come again: it is never hung and never a fault.
 */
test('more first mints than may wait are refused with a time to come again', async () => {
  const { createPasswordHasher } = await import('../../../../src/crypto/secrets/password.ts')
  const hasher = createPasswordHasher({ concurrency: 1 })
  const outcomes = await Promise.allSettled(Array.from({ length: 80 }, () => hasher.verifyAgainstNothing('x')))
  const refused = outcomes.filter(outcome => outcome.status === 'rejected')
  expect(refused).toHaveLength(80 - 1 - 64)
  for (const { reason } of refused) expect(reason).toMatchObject({ code: 'busy', details: { retryAfterSeconds: 1 } })
})
