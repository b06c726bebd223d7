// Provider keys over the wire: every refusal of the PUT in its order and above its floor, what is stored and what is
// shown, deletion, and the validation route with its limit.
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { providerCases } from '../../providers/provider-cases.ts'
import { describeEachBackend } from '../../support/management-harness.ts'
import { processesOfProduct } from '../../support/start-product.ts'
import { keyOf, makeKey, type ProviderStage, providersPath, startProviders } from './provider-stage.ts'
import { badAddress } from './refusal-bodies.ts'

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

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

describeEachBackend('provider keys', start => {
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
})
