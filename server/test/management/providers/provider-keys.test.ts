// Provider keys over the wire: every refusal of the PUT in its order and above its floor, what is stored and what is
// shown, deletion, and the validation route with its limit.
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { providerCases } from '../../providers/provider-cases.ts'
import { describeEachBackend } from '../../support/management-harness.ts'
import { roomFor } from '../../support/slowness.ts'
import { processesOfProduct } from '../../support/start-product.ts'
import { keyOf, makeKey, type ProviderStage, providersPath, startProviders } from './provider-stage.ts'

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const unreachable = {
  error: 'The provider could not be reached. Nothing was stored.',
  code: 'PROVIDER_UNREACHABLE',
  retryable: true,
}
const tooMany = { error: 'Too many validation requests. Try again in a minute.', code: 'RATE_LIMITED' }
const badAddress = { error: 'The address is not allowed', code: 'INVALID_BASE_URL' }
const unsupported = { error: 'Unsupported provider', code: 'UNSUPPORTED_PROVIDER' }

const refusedAddresses = [
  'http://example.com',
  'https://127.0.0.1/v1',
  'https://localhost/v1',
  'https://10.1.2.3',
  'https://169.254.169.254/latest',
  'https://[::1]/v1',
  'https://0x7f000001/',
  'https://user:word@example.com/v1',
  'https://example.com:22/v1',
  'https://example.com/v1?key=1',
  'https://example.com/v1#part',
  'https://no-such-name.invalid/v1',
  'ftp://example.com',
  'example.com',
  7,
  { href: 'https://example.com' },
]

describeEachBackend('provider keys', (start, backend) => {
  let stage: ProviderStage
  beforeAll(async () => {
    stage = await startProviders(start)
  })
  const call = (...args: Parameters<ProviderStage['plane']['call']>) => stage.plane.call(...args)
  const owner = () => ({ session: stage.plane.owner.session })
  const rowsOf = (tenantId: string) =>
    stage.plane.query<{ id: string; provider_type: string; base_url_override: string | null; key_last4: string }>(
      'select * from provider_keys where tenant_id = ? order by provider_type',
      [tenantId],
    )
  const typesOf = async (tenantId: string) =>
    (await call('GET', `${providersPath(tenantId)}?fields=types`, owner())).body as unknown

  describe('a PUT is refused in the order of its checks, never within 500 ms', () => {
    // Each row fails its own check and as many of the later ones as one request can.
    const worst = { api_key: 'short', base_url_override: 'https://10.0.0.1' }
    const badAddressToo = { api_key: makeKey('openai', 'refused'), base_url_override: 'https://10.0.0.1' }
    interface Row {
      name: string
      status: number
      body: unknown
      tenant?: 'free' | 'pro' | 'exhausted' | 'other' | 'unknown' | 'no-uuid'
      session?: 'none' | 'ended' | 'stranger' | 'viewer'
      provider?: string
      sent?: unknown
    }
    const rows: Row[] = [
      { name: 'no session', session: 'none', status: 401, body: { error: 'Bearer token required' } },
      { name: 'ended session', session: 'ended', status: 401, body: { error: 'Invalid session' } },
      {
        name: 'unknown tenant',
        tenant: 'unknown',
        status: 404,
        body: { error: 'Tenant not found', code: 'TENANT_NOT_FOUND' },
      },
      {
        name: 'tenant id that is none',
        tenant: 'no-uuid',
        status: 404,
        body: { error: 'Tenant not found', code: 'TENANT_NOT_FOUND' },
      },
      { name: 'stranger', session: 'stranger', tenant: 'free', status: 403, body: { error: 'Forbidden' } },
      { name: 'viewer', session: 'viewer', tenant: 'free', status: 403, body: { error: 'Forbidden' } },
      { name: 'no JSON', tenant: 'free', sent: '{', status: 400, body: { error: 'Invalid JSON body' } },
      { name: 'unknown provider', tenant: 'free', provider: 'acme', status: 400, body: unsupported },
      { name: 'inherited name', tenant: 'free', provider: 'constructor', status: 400, body: unsupported },
      {
        name: 'free plan',
        tenant: 'free',
        status: 403,
        body: {
          error: 'BYOAK requires a Pro subscription',
          code: 'BYOAK_REQUIRES_PRO',
          upgrade_url: expect.stringMatching(/^http:\/\/localhost:\d+\/upgrade$/),
        },
      },
      {
        name: 'key shape',
        tenant: 'exhausted',
        status: 400,
        body: {
          error: 'api_key must be 20-512 printable ASCII characters without white space',
          code: 'INVALID_KEY_FORMAT',
        },
      },
      {
        name: 'no key',
        tenant: 'exhausted',
        sent: {},
        status: 400,
        body: { error: 'api_key is required', code: 'INVALID_KEY_FORMAT' },
      },
      {
        name: "another provider's key",
        tenant: 'exhausted',
        sent: { api_key: makeKey('anthropic') },
        status: 400,
        body: { error: 'OpenAI keys do not start with sk-ant-', code: 'INVALID_KEY_FORMAT' },
      },
      { name: 'address', tenant: 'exhausted', sent: badAddressToo, status: 400, body: badAddress },
      {
        name: 'rate',
        tenant: 'exhausted',
        sent: { api_key: makeKey('openai', 'refused') },
        status: 429,
        body: tooMany,
      },
      {
        name: 'refused by the provider',
        sent: { api_key: makeKey('openai', 'refused') },
        status: 422,
        body: { error: 'The provider rejected the key', code: 'KEY_VALIDATION_FAILED' },
      },
      { name: 'provider limiting', sent: { api_key: makeKey('openai', 'limited') }, status: 502, body: unreachable },
      { name: 'provider broken', sent: { api_key: makeKey('openai', 'broken') }, status: 502, body: unreachable },
      { name: 'provider gone', sent: { api_key: makeKey('openai', 'cut') }, status: 502, body: unreachable },
    ]
    let exhausted: string
    beforeAll(async () => {
      exhausted = await stage.makeTenant()
      const path = `${providersPath(exhausted)}/openai/validate`
      const spend = () => call('POST', path, { ...owner(), body: { api_key: makeKey() } })
      await Promise.all(Array.from({ length: 5 }, spend))
    })

    test.concurrent.each(rows)('$name: $status', async row => {
      const tenantId = await findTenant(row.tenant ?? 'pro')
      const session = await findSession(row.session, tenantId)
      const answer = await call('PUT', `${providersPath(tenantId)}/${row.provider ?? 'openai'}`, {
        ...(session === undefined ? {} : { session }),
        body: row.sent ?? worst,
      })
      expect(answer.body).toEqual(row.body)
      expect(answer.status).toBe(row.status)
      expect(answer.tookMs).toBeGreaterThanOrEqual(500)
      expect(answer.tookMs).toBeLessThan(roomFor(8000))
      if (row.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await rowsOf(tenantId)).toEqual([])
    })

    async function findTenant(kind: NonNullable<Row['tenant']>): Promise<string> {
      if (kind === 'unknown') return '6f1d3c52-7a52-4c6c-9d3b-0f6c4b8f8a11'
      if (kind === 'no-uuid') return 'none'
      if (kind === 'exhausted') return exhausted
      return kind === 'free' ? (await stage.plane.makeTenant()).id : await stage.makeTenant()
    }

    async function findSession(kind: Row['session'], tenantId: string): Promise<string | undefined> {
      if (kind === 'none') return undefined
      if (kind === 'ended') return `sess_${'A'.repeat(43)}`
      if (kind === 'stranger') return (await stage.plane.makePerson()).session
      if (kind === 'viewer') return (await stage.plane.makePerson({ tenantId, role: 'viewer' })).session
      return owner().session
    }
  })

  test.concurrent.each(refusedAddresses)('the address %o is refused like any other', async address => {
    const tenantId = await stage.makeTenant()
    const body = { api_key: makeKey(), base_url_override: address }
    const [put, validated] = await Promise.all([
      stage.put(tenantId, 'openai', body),
      call('POST', `${providersPath(tenantId)}/openai/validate`, { ...owner(), body }),
    ])
    expect([put.status, put.body]).toEqual([400, badAddress])
    expect([validated.status, validated.body]).toEqual([400, badAddress])
  })

  test.concurrent.each(providerCases)(
    'a key of $provider is asked about, stored and shown',
    async ({ provider, keyCheck }) => {
      const tenantId = await stage.makeTenant()
      const key = makeKey(provider)
      const answer = await stage.put(tenantId, provider, { api_key: `  ${key}\n`, base_url_override: '' })
      const shown = { provider_type: provider, key_last4: key.slice(-4), key_set_at: expect.stringMatching(isoTime) }
      expect(answer.body).toEqual({ configured: true, ...shown })
      expect(answer.status).toBe(200)
      expect(answer.tookMs).toBeGreaterThanOrEqual(500)
      const asked = stage.upstream.requests.filter(request => keyOf(request) === key)
      expect(asked.map(({ path, query }) => ({ path, query }))).toEqual([
        { ...keyCheck, path: `/${provider}${keyCheck.path}` },
      ])
      const list = await call('GET', providersPath(tenantId), owner())
      expect(list.body).toEqual({ providers: [{ ...shown, projects_using_count: 0 }] })
      expect(await typesOf(tenantId)).toEqual({ provider_types: [provider] })
    },
  )

  test('an address of the tenant is asked instead, without rules for prefixes', async () => {
    const tenantId = await stage.makeTenant()
    const key = makeKey('google')
    const answer = await stage.put(tenantId, 'openai', {
      api_key: key,
      base_url_override: `${stage.onPremise.url}/llm/`,
    })
    expect(answer.status).toBe(200)
    const asked = (server: 'upstream' | 'onPremise') =>
      stage[server].requests.filter(request => keyOf(request) === key).map(request => request.path)
    expect(asked('onPremise')).toEqual(['/llm/v1/models'])
    expect(asked('upstream')).toEqual([])
    expect(await rowsOf(tenantId)).toMatchObject([{ base_url_override: `${stage.onPremise.url}/llm` }])
    // Given anew without an address, the key goes to the provider again.
    await stage.put(tenantId, 'openai', { api_key: makeKey(), base_url_override: ' ' })
    expect(await rowsOf(tenantId)).toMatchObject([{ base_url_override: null }])
  })

  test('a new key replaces the old one under the next revision; a refused one leaves it', async () => {
    const tenantId = await stage.makeTenant()
    const revision = async () =>
      (await stage.plane.query('select provider_keys_revision from tenants where id = ?', [tenantId]))[0]
    const [first, second] = [makeKey(), makeKey()]
    await stage.put(tenantId, 'openai', { api_key: first })
    const [before] = await rowsOf(tenantId)
    await stage.put(tenantId, 'openai', { api_key: second })
    const after = await rowsOf(tenantId)
    expect(after).toMatchObject([{ key_last4: second.slice(-4) }])
    expect(after[0]?.id).not.toBe(before?.id)
    expect(Number(Object.values((await revision()) ?? {})[0])).toBe(2)
    expect((await stage.put(tenantId, 'openai', { api_key: makeKey('openai', 'refused') })).status).toBe(422)
    expect(await rowsOf(tenantId)).toEqual(after)
  })

  test('keys given at once leave one row, and the store knows it', async () => {
    const tenantId = await stage.makeTenant()
    const keys = [makeKey(), makeKey(), makeKey(), makeKey('mistral'), makeKey('mistral')]
    const answers = await Promise.all(
      keys.map((key, index) => stage.put(tenantId, index < 3 ? 'openai' : 'mistral', { api_key: key })),
    )
    expect(answers.map(answer => answer.status)).toEqual([200, 200, 200, 200, 200])
    expect((await rowsOf(tenantId)).map(row => row.provider_type)).toEqual(['mistral', 'openai'])
    expect(await typesOf(tenantId)).toEqual({ provider_types: ['mistral', 'openai'] })
  })

  test('a plan that ended while the provider was asked stores nothing', async () => {
    const tenantId = await stage.makeTenant()
    const key = makeKey()
    const { plane, onPremise } = stage
    onPremise.on('GET /late/v1/models', { delayMs: 1500, body: { data: [] } })
    const pending = stage.put(tenantId, 'openai', { api_key: key, base_url_override: `${onPremise.url}/late` })
    await expect.poll(() => onPremise.requests.some(request => keyOf(request) === key)).toBe(true)
    const { adminSecret } = plane
    await call('PUT', `/v1/admin/tenants/${tenantId}/plan`, { adminSecret, body: { plan: 'free' } })
    const answer = await pending
    expect([answer.status, answer.body]).toMatchObject([403, { code: 'BYOAK_REQUIRES_PRO' }])
    expect(await rowsOf(tenantId)).toEqual([])
  })

  test('sixty PUTs at once all come through, and at most fifty ask at a time', async () => {
    const tenants = await Promise.all(Array.from({ length: 12 }, () => stage.makeTenant()))
    const load = { asking: 0, most: 0 }
    const many = Promise.withResolvers<void>()
    stage.onPremise.on('GET /gate/v1/models', () => ({
      async write(response) {
        load.most = Math.max(load.most, ++load.asking)
        if (load.asking > 20) many.resolve()
        await many.promise
        await sleep(1500)
        load.asking--
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}')
      },
    }))
    const body = () => ({ api_key: makeKey(), base_url_override: `${stage.onPremise.url}/gate` })
    const puts = tenants.flatMap(id => Array.from({ length: 5 }, () => stage.put(id, 'openai', body())))
    expect(new Set((await Promise.all(puts)).map(answer => answer.status))).toEqual(new Set([200]))
    // Each process of the product asks for itself.
    expect(load.most).toBeLessThanOrEqual(50 * processesOfProduct)
  })

  test('deleting is at once, also on the free plan and under deployed models, and counts projects until then', async () => {
    const { plane } = stage
    const tenantId = await stage.makeTenant()
    const path = `${providersPath(tenantId)}/openai`
    for (const provider of ['openai', 'anthropic', 'acme']) {
      const none = await call('DELETE', `${providersPath(tenantId)}/${provider}`, owner())
      expect([none.status, none.body]).toEqual([404, { error: 'No key is stored for this provider' }])
    }
    await stage.put(tenantId, 'openai', { api_key: makeKey() })
    await stage.put(tenantId, 'anthropic', { api_key: makeKey('anthropic') })
    const [first, second, third] = [
      await plane.makeProject(tenantId),
      await plane.makeProject(tenantId),
      await plane.makeProject(tenantId),
    ]
    const setModel = (projectId: string, model: string, draft = '') =>
      call('PUT', `/auth/v1/projects/${projectId}/settings/model${draft}`, {
        ...owner(),
        body: { provider_model: model },
      })
    expect((await setModel(first.id, 'openai/gpt-4o-mini')).status).toBe(200)
    expect((await setModel(second.id, 'openai/gpt-4o')).status).toBe(200)
    // A draft is not deployed, and another tenant's projects are not this one's.
    expect((await setModel(third.id, 'openai/gpt-4o', '/draft')).status).toBe(200)
    const counts = async () => {
      const { body } = await call('GET', providersPath(tenantId), owner())
      const { providers } = body as { providers: { provider_type: string; projects_using_count: number }[] }
      return providers.map(key => [key.provider_type, key.projects_using_count])
    }
    expect(await counts()).toEqual([
      ['anthropic', 0],
      ['openai', 2],
    ])
    const { adminSecret } = plane
    await call('PUT', `/v1/admin/tenants/${tenantId}/plan`, { adminSecret, body: { plan: 'free' } })
    const viewer = await plane.makePerson({ tenantId, role: 'viewer' })
    expect((await call('DELETE', path, { session: viewer.session })).status).toBe(403)
    const deleted = await call('DELETE', path, owner())
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    expect(await typesOf(tenantId)).toEqual({ provider_types: ['anthropic'] })
    expect(await counts()).toEqual([['anthropic', 0]])
    expect((await call('DELETE', path, owner())).status).toBe(404)
    const settings = await call('GET', `/auth/v1/projects/${first.id}/settings`, owner())
    expect(settings.body).toMatchObject({ provider_model: 'openai/gpt-4o-mini' })
  })

  test('keys are listed to members alone, and nothing else than types may be asked for', async () => {
    const tenantId = await stage.makeTenant()
    const stranger = await stage.plane.makePerson()
    for (const path of [providersPath(tenantId), `${providersPath(tenantId)}?fields=types`]) {
      expect((await call('GET', path)).status).toBe(401)
      expect((await call('GET', path, { session: stranger.session })).status).toBe(403)
    }
    expect((await call('GET', providersPath(tenantId), owner())).body).toEqual({ providers: [] })
    expect(await typesOf(tenantId)).toEqual({ provider_types: [] })
    const odd = await call('GET', `${providersPath(tenantId)}?fields=all`, owner())
    expect([odd.status, odd.body]).toEqual([400, { error: 'fields must be: types' }])
  })

  describe('validate', () => {
    const validate = (tenantId: string, provider: string, body: unknown) =>
      call('POST', `${providersPath(tenantId)}/${provider}/validate`, { ...owner(), body })

    test.concurrent.each([
      ['good', { valid: true }],
      ['refused', { valid: false, reason: 'invalid_key' }],
      ['limited', { valid: false, reason: 'rate_limited' }],
      ['broken', { valid: false, reason: 'network_error' }],
      ['cut', { valid: false, reason: 'network_error' }],
    ] as const)('a %s key on the free plan: %o', async (word, body) => {
      const { id } = await stage.plane.makeTenant()
      const answer = await validate(id, 'mistral', { api_key: makeKey('mistral', word) })
      expect([answer.status, answer.body]).toEqual([200, body])
      expect(await rowsOf(id)).toEqual([])
    })

    if (inject('prove') || backend === 'sqlite') {
      test('a provider that takes longer than 10 s is slow', async () => {
        const tenantId = await stage.makeTenant()
        const body = { api_key: makeKey('openai', 'slow') }
        const answers = await Promise.all([validate(tenantId, 'openai', body), stage.put(tenantId, 'openai', body)])
        expect(answers.map(answer => [answer.status, answer.body])).toEqual([
          [200, { valid: false, reason: 'timeout' }],
          [502, unreachable],
        ])
        for (const { tookMs } of answers) {
          expect(tookMs).toBeGreaterThan(9900)
          // The upstream answers after 11.5 s: nobody waited for it.
          expect(tookMs).toBeLessThan(11_400)
        }
        expect(await rowsOf(tenantId)).toEqual([])
      })
    }

    test('a bad shape is an invalid key, without a call and without counting', async () => {
      const { id } = await stage.plane.makeTenant()
      const asked = stage.upstream.requests.length
      for (const key of ['', 'short', 'x'.repeat(513), `sk-with white space 0123456789`, 'sk-ümlaut-0123456789abc']) {
        expect((await validate(id, 'openai', { api_key: key })).body).toEqual({ valid: false, reason: 'invalid_key' })
      }
      const foreign = await validate(id, 'openai', { api_key: makeKey('anthropic') })
      expect(foreign.body).toEqual({ valid: false, reason: 'invalid_key' })
      expect(stage.upstream.requests.length).toBe(asked)
      expect((await validate(id, 'openai', { api_key: makeKey() })).body).toEqual({ valid: true })
    })

    test('a body without a key and an unknown provider are faults of the request', async () => {
      const { id } = await stage.plane.makeTenant()
      for (const [body, error] of [
        [{}, 'api_key is required'],
        [{ api_key: null }, 'api_key is required'],
        [{ api_key: 7 }, 'api_key must be a string'],
      ]) {
        const answer = await validate(id, 'openai', body)
        expect([answer.status, answer.body]).toEqual([400, { error, code: 'INVALID_KEY_FORMAT' }])
      }
      const unknown = await validate(id, 'acme', { api_key: makeKey() })
      expect([unknown.status, unknown.body]).toEqual([400, unsupported])
    })

    test('an address of the body is asked instead', async () => {
      const { id } = await stage.plane.makeTenant()
      const key = makeKey('cohere')
      const answer = await validate(id, 'cohere', { api_key: key, base_url_override: `${stage.onPremise.url}/v2` })
      expect(answer.body).toEqual({ valid: true })
      const asked = stage.onPremise.requests.filter(request => keyOf(request) === key)
      expect(asked.map(request => request.path)).toEqual(['/v1/models'])
    })

    test('twenty at once are five, for both routes together and for each tenant alone', async () => {
      const tenantId = await stage.makeTenant()
      const keys = Array.from({ length: 20 }, () => makeKey())
      const answers = await Promise.all(keys.map(api_key => validate(tenantId, 'openai', { api_key })))
      expect(answers.filter(answer => answer.status === 200)).toHaveLength(5)
      const refused = answers.filter(answer => answer.status !== 200)
      for (const { status, body, headers } of refused) {
        expect([status, body]).toEqual([429, tooMany])
        expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
        expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
      }
      expect(stage.upstream.requests.filter(request => keys.includes(keyOf(request)))).toHaveLength(5)
      expect((await stage.put(tenantId, 'openai', { api_key: makeKey() })).status).toBe(429)
      const other = await stage.makeTenant()
      expect((await validate(other, 'openai', { api_key: makeKey() })).status).toBe(200)
    })
  })
})
