// Provider keys that are refused, and keys that are validated without being stored: the order of the checks, and how
// long they take.
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { describeEachBackend } from '../../support/management-harness.ts'
import { roomFor } from '../../support/slowness.ts'
import { keyOf, makeKey, type ProviderStage, providersPath, startProviders } from './provider-stage.ts'
import { badAddress } from './refusal-bodies.ts'

const unreachable = {
  error: 'The provider could not be reached. Nothing was stored.',
  code: 'PROVIDER_UNREACHABLE',
  retryable: true,
}
const tooMany = { error: 'Too many validation requests. Try again in a minute.', code: 'RATE_LIMITED' }
const unsupported = { error: 'Unsupported provider', code: 'UNSUPPORTED_PROVIDER' }

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
          // The upstream answers after a minute: nobody waited for it.
          expect(tookMs).toBeLessThan(roomFor(30_000))
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
