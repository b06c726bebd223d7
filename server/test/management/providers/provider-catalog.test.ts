// The operator's catalog over the wire: entries, the discovery of models from each provider's own list, and what
// tenants see of them.
import { beforeAll, describe, expect, test } from 'vitest'
import { providerCases } from '../../providers/provider-cases.ts'
import { describeEachBackend } from '../../support/management-harness.ts'
import { startProduct } from '../../support/start-product.ts'
import { makeKey, type ProviderStage, platformKey, providersPath, startProviders } from './provider-stage.ts'

const path = '/auth/v1/admin/providers'
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

interface Entry {
  id: string
  slug: string
  model_count: number
}

interface TenantModel {
  modelId: string
  providerSlug: string
}

describeEachBackend('the provider catalog', start => {
  let stage: ProviderStage
  beforeAll(async () => {
    stage = await startProviders(start, {
      env: { PLATFORM_DEFAULT_MODEL: 'mistral/mistral-large-latest' },
      own: true,
    })
  })
  const admin = (method: string, at: string, body?: unknown) =>
    stage.plane.call(method, at, { adminSecret: stage.plane.adminSecret, ...(body === undefined ? {} : { body }) })
  const listEntries = async () => ((await admin('GET', path)).body as { providers: Entry[] }).providers
  const findEntry = async (slug: string) => (await listEntries()).find(entry => entry.slug === slug) as Entry
  const sync = async (slug: string) => admin('POST', `${path}/${(await findEntry(slug)).id}/sync-models`)
  const modelsOf = async (tenantId: string): Promise<TenantModel[]> => {
    const { call, owner } = stage.plane
    const { body } = await call('GET', `${providersPath(tenantId)}/models`, { session: owner.session })
    return (body as { models: TenantModel[] }).models
  }

  test('opens to the admin secret alone', async () => {
    const { call, makePerson } = stage.plane
    const { id } = await findEntry('openai')
    const { session } = await makePerson()
    for (const [method, at] of [
      ['GET', path],
      ['POST', path],
      ['POST', `${path}/${id}/sync-models`],
    ] as const) {
      for (const credential of [{}, { session }, { adminSecret: 'admin-secret-of-the-test' }]) {
        const answer = await call(method, at, credential)
        expect([answer.status, answer.body]).toEqual([401, { error: 'Invalid admin secret' }])
      }
    }
  })

  test('begins with the six providers', async () => {
    const entries = await listEntries()
    expect(entries.map(entry => entry.slug).sort()).toEqual(providerCases.map(({ provider }) => provider).sort())
    for (const entry of entries) {
      expect(entry).toEqual({
        id: expect.stringMatching(uuid),
        name: entry.slug,
        slug: entry.slug,
        display_name: expect.any(String),
        is_active: true,
        model_count: expect.any(Number),
        created_at: expect.stringMatching(isoTime),
        updated_at: expect.stringMatching(isoTime),
      })
      expect(entry.model_count).toBeGreaterThan(0)
    }
  })

  describe('an entry', () => {
    const good = { name: 'Acme', slug: 'acme', displayName: 'Acme AI' }
    const badAddress = { error: 'The address is not allowed', code: 'INVALID_BASE_URL' }
    const taken = { error: 'Provider name or slug already exists' }

    test.each<[unknown, number, unknown]>([
      [{ ...good, name: undefined }, 400, { error: 'name is required' }],
      [{ ...good, name: ' ' }, 400, { error: 'name is required' }],
      [{ ...good, slug: undefined }, 400, { error: 'slug is required' }],
      [{ ...good, slug: 7 }, 400, { error: 'slug is required' }],
      [{ ...good, displayName: undefined }, 400, { error: 'displayName is required' }],
      ...['Acme', 'a/b', '-a', 'a b', 'x'.repeat(64)].map((slug): [unknown, number, unknown] => [
        { ...good, slug },
        400,
        { error: 'slug must be 1-63 lower-case letters, digits, hyphens and underscores' },
      ]),
      [
        { ...good, modelsEndpointAuthType: 'basic' },
        400,
        { error: 'modelsEndpointAuthType must be one of: bearer, x-api-key, x-goog-api-key, none' },
      ],
      [{ ...good, authConfigSchema: [] }, 400, { error: 'authConfigSchema must be an object' }],
      [{ ...good, supportedFeatures: 'chat' }, 400, { error: 'supportedFeatures must be an object' }],
      [{ ...good, modelsEndpointUrl: 'http://example.com/models' }, 400, badAddress],
      [{ ...good, modelsEndpointUrl: 'https://169.254.169.254/models' }, 400, badAddress],
      [{ ...good, modelsEndpointUrl: 'https://localhost/models' }, 400, badAddress],
      [{ ...good, modelsEndpointUrl: 7 }, 400, badAddress],
      [{ ...good, slug: 'openai' }, 409, taken],
      [{ ...good, name: 'openai' }, 409, taken],
    ])('%j: %i', async (body, status, error) => {
      const answer = await admin('POST', path, body)
      expect([answer.status, answer.body]).toEqual([status, error])
      expect((await listEntries()).map(entry => entry.slug)).not.toContain('acme')
    })

    test('is made once, whoever asks at the same time', async () => {
      const made = await Promise.all(Array.from({ length: 5 }, () => admin('POST', path, { ...good, slug: 'once' })))
      expect(made.map(answer => answer.status).sort()).toEqual([201, 409, 409, 409, 409])
      expect(made.find(answer => answer.status === 201)?.body).toEqual({
        id: expect.stringMatching(uuid),
        name: 'Acme',
        slug: 'once',
        display_name: 'Acme AI',
        is_active: true,
        model_count: 0,
        created_at: expect.stringMatching(isoTime),
        updated_at: expect.stringMatching(isoTime),
      })
    })

    test('keeps what it was given', async () => {
      const more = { authConfigSchema: { type: 'object' }, supportedFeatures: { chat: true } }
      const endpoint = { modelsEndpointUrl: `${stage.onPremise.url}/list`, modelsEndpointAuthType: 'x-api-key' }
      await admin('POST', path, { name: 'Full', slug: 'full', displayName: 'Full', ...more, ...endpoint })
      expect(await stage.plane.query('select * from providers where slug = ?', ['full'])).toMatchObject([
        {
          models_endpoint_url: endpoint.modelsEndpointUrl,
          models_endpoint_auth_type: 'x-api-key',
          auth_config_schema: '{"type":"object"}',
          supported_features: '{"chat":true}',
        },
      ])
    })
  })

  describe('sync-models', () => {
    const rowOf = async (id: string) => (await stage.plane.query('select * from models where id = ?', [id]))[0]

    test.each(providerCases)('reads the list of $provider', async ({ provider, list, keyHeader }) => {
      const { path: listPath, second, pages, models, embeddings } = list
      const at = `/${provider}${listPath}`
      stage.upstream.on(`GET ${at}`, ({ query }) => {
        const isSecond = Object.entries(second).every(([name, value]) => query[name] === value)
        return { body: pages[isSecond && pages.length > 1 ? 1 : 0] }
      })
      if (embeddings !== undefined) {
        stage.upstream.on(`GET /${provider}${embeddings.path}`, { body: embeddings.page })
      }
      const before = (await findEntry(provider)).model_count
      const ids = models.map(model => `${provider}/${model}`)
      const first = await sync(provider)
      const found = { provider, discovered: ids.length, models: ids }
      // The seed knows some of the embedding models.
      const seeded = ids.filter(id => ['openai/text-embedding-3-small', 'mistral/mistral-embed'].includes(id)).length
      const added = ids.length - seeded
      expect([first.status, first.body]).toEqual([200, { ...found, added, updated: seeded }])
      expect((await sync(provider)).body).toEqual({ ...found, added: 0, updated: ids.length })
      expect((await findEntry(provider)).model_count).toBe(before + added)
      const asked = stage.upstream.requests.filter(request => request.path === at)
      const shown = provider === 'openai' ? keyHeader[1](platformKey) : undefined
      expect(asked.map(request => request.headers[keyHeader[0]])).toEqual(asked.map(() => shown))
      expect(asked).toHaveLength(2 * pages.length)
    })

    test('fills gaps of what the seed knows and changes nothing else of it', async () => {
      const [known] = await stage.plane.query<{ id: string }>(
        `select id from models where provider_slug = ? and context_window is not null order by id`,
        ['anthropic'],
      )
      const [gap] = await stage.plane.query<{ id: string }>(
        `select id from models where provider_slug = ? and context_window is null and source = 'seed' order by id`,
        ['google'],
      )
      const [knownId = '', gapId = ''] = [known?.id, gap?.id]
      const before = await rowOf(knownId)
      const data = [
        { id: knownId.replace('anthropic/', ''), display_name: 'Other', max_input_tokens: 1, max_tokens: 1 },
      ]
      stage.upstream.on('GET /anthropic/v1/models', { body: { data } })
      expect((await sync('anthropic')).body).toMatchObject({ added: 0, updated: 1 })
      expect(await rowOf(knownId)).toEqual({ ...before, updated_at: expect.anything() })

      const name = gapId.replace('google/', 'models/')
      const gapBefore = await rowOf(gapId)
      const model = { name, displayName: 'Other', inputTokenLimit: 77, supportedGenerationMethods: ['generateContent'] }
      stage.upstream.on('GET /google/v1beta/models', { body: { models: [model] } })
      await sync('google')
      const gapAfter = await rowOf(gapId)
      expect({ ...gapAfter, context_window: Number(gapAfter?.['context_window']) }).toEqual({
        ...gapBefore,
        context_window: 77,
        updated_at: expect.anything(),
      })
    })

    test('follows the list for models that a list brought, and keeps those that it dropped', async () => {
      const list = (...models: unknown[]) => stage.upstream.on('GET /google/v1beta/models', { body: { models } })
      const entry = (name: string, more = {}) => ({
        name: `models/${name}`,
        supportedGenerationMethods: ['generateContent'],
        ...more,
      })
      list(entry('late-1', { inputTokenLimit: 100, outputTokenLimit: 50 }), entry('late-2'))
      await sync('google')
      list(entry('late-1', { inputTokenLimit: 200, displayName: 'Late\u0000 One' }))
      expect((await sync('google')).body).toMatchObject({ discovered: 1, added: 0, updated: 1 })
      const row = await rowOf('google/late-1')
      expect(row).toMatchObject({ display_name: 'Late One', source: 'sync' })
      expect([Number(row?.['context_window']), Number(row?.['max_output_tokens'])]).toEqual([200, 50])
      expect(await rowOf('google/late-2')).toBeDefined()
    })

    test('of two at once loses nothing', async () => {
      const data = Array.from({ length: 120 }, (_, index) => ({ id: `twin-${index}` }))
      stage.upstream.on('GET /openai/v1/models', { body: { data } })
      const bodies = (await Promise.all([sync('openai'), sync('openai')])).map(
        answer => answer.body as { added: number; updated: number },
      )
      expect(bodies.map(body => body.added + body.updated)).toEqual([120, 120])
      expect(bodies.map(body => body.added).sort()).toEqual([0, 120])
    })

    test.each([
      ['broken', { status: 500 }],
      ['refusing', { status: 401 }],
      ['without a list', { body: '<html>' }],
      ['gone', { hangUp: true as const }],
      ['circling', { body: { data: [], has_more: true, last_id: 'same' } }],
    ])('of a provider that is %s changes nothing', async (_name, answer) => {
      stage.upstream.on('GET /openai/v1/models', answer)
      const before = (await findEntry('openai')).model_count
      const refused = await sync('openai')
      expect([refused.status, refused.body]).toEqual([
        502,
        {
          error: 'The provider could not be reached. Nothing was stored.',
          code: 'PROVIDER_UNREACHABLE',
          retryable: true,
        },
      ])
      expect((await findEntry('openai')).model_count).toBe(before)
    })

    test('of an entry of the operator asks its endpoint, in the format of OpenAI', async () => {
      stage.onPremise.on('GET /their/models', {
        body: { data: [{ id: 'llama' }, { id: 'x'.repeat(256) }, { id: 'ü' }] },
      })
      const endpoint = { modelsEndpointUrl: `${stage.onPremise.url}/their/models`, modelsEndpointAuthType: 'bearer' }
      await admin('POST', path, { name: 'Local', slug: 'local', displayName: 'Local', ...endpoint })
      const answer = await sync('local')
      // Names that no model ID can hold are of no use.
      expect(answer.body).toEqual({ provider: 'local', discovered: 1, added: 1, updated: 0, models: ['local/llama'] })
      expect((await findEntry('local')).model_count).toBe(1)
      const { headers } = stage.onPremise.requests.find(request => request.path === '/their/models') ?? {}
      expect(headers?.authorization).toBeUndefined()
    })

    test('needs an entry, and an endpoint', async () => {
      for (const id of ['6f1d3c52-7a52-4c6c-9d3b-0f6c4b8f8a11', 'none']) {
        expect((await admin('POST', `${path}/${id}/sync-models`)).status).toBe(404)
      }
      await admin('POST', path, { name: 'Bare', slug: 'bare', displayName: 'Bare', modelsEndpointUrl: '' })
      const answer = await sync('bare')
      expect([answer.status, answer.body]).toEqual([
        422,
        { error: 'The provider has no models endpoint', code: 'NO_MODELS_ENDPOINT' },
      ])
    })
  })

  describe('the models of a tenant', () => {
    test("are the platform's default alone until there is a key", async () => {
      const { id } = await stage.plane.makeTenant()
      expect(await modelsOf(id)).toEqual([
        {
          modelId: 'mistral/mistral-large-latest',
          displayName: expect.any(String),
          providerSlug: 'mistral',
          providerDisplayName: 'Mistral AI',
          capabilities: expect.any(Object),
          contextWindow: expect.any(Number),
          maxOutputTokens: expect.any(Number),
          supportsStreaming: true,
          supportsToolUse: true,
          supportsVision: expect.any(Boolean),
          prices: { input: 0.5, cachedInput: null, cacheWrite: null, output: 1.5, reasoning: null },
        },
      ])
    })

    test('follow the keys, and the registry', async () => {
      const [tenantId, other] = [await stage.makeTenant(), await stage.makeTenant()]
      const before = await modelsOf(tenantId)
      await stage.put(tenantId, 'cohere', { api_key: makeKey('cohere') })
      stage.upstream.on('GET /cohere/v1/models', { body: { models: [{ name: 'command-new', endpoints: ['chat'] }] } })
      await sync('cohere')
      const after = await modelsOf(tenantId)
      const cohere = after.filter(model => model.providerSlug === 'cohere')
      expect(cohere).toHaveLength((await findEntry('cohere')).model_count)
      expect(after).toHaveLength(before.length + cohere.length)
      expect(cohere.find(model => model.modelId === 'cohere/command-new')).toEqual({
        modelId: 'cohere/command-new',
        displayName: 'command-new',
        providerSlug: 'cohere',
        providerDisplayName: 'Cohere',
        capabilities: expect.any(Object),
        contextWindow: null,
        maxOutputTokens: null,
        supportsStreaming: true,
        supportsToolUse: null,
        supportsVision: null,
        prices: { input: null, cachedInput: null, cacheWrite: null, output: null, reasoning: null },
      })
      expect(await modelsOf(other)).toEqual(before)
      const { call, owner, makeProject } = stage.plane
      const { id } = await makeProject(tenantId)
      const chosen = await call('PUT', `/auth/v1/projects/${id}/settings/model`, {
        session: owner.session,
        body: { provider_model: 'cohere/command-new' },
      })
      expect(chosen.status).toBe(200)
      await call('DELETE', `${providersPath(tenantId)}/cohere`, { session: owner.session })
      expect(await modelsOf(tenantId)).toEqual(before)
    })

    test('are for members', async () => {
      const { call, makePerson } = stage.plane
      const tenantId = await stage.makeTenant()
      const at = `${providersPath(tenantId)}/models`
      const [stranger, viewer] = [await makePerson(), await makePerson({ tenantId, role: 'viewer' })]
      expect((await call('GET', at)).status).toBe(401)
      expect((await call('GET', at, { session: stranger.session })).status).toBe(403)
      expect((await call('GET', at, { session: viewer.session })).status).toBe(200)
    })
  })
})

describeEachBackend('a platform default that is not in the seed', start => {
  test('is refused at the start until a sync has brought it', async () => {
    const { plane, upstream } = await startProviders(start, { own: true })
    const { id } = await plane.makeTenant()
    upstream.on('GET /openai/v1/models', { body: { object: 'list', data: [{ id: 'house-model', object: 'model' }] } })
    const env = { ...plane.env, PLATFORM_DEFAULT_MODEL: 'openai/house-model' }
    const admin = { adminSecret: plane.adminSecret }
    const { providers } = (await plane.call('GET', path, admin)).body as { providers: Entry[] }
    const openai = providers.find(({ slug }) => slug === 'openai')
    const sync = () => plane.call('POST', `${path}/${openai?.id}/sync-models`, admin)
    if (plane.backend === 'postgres') {
      const early = await startProduct({ env, waitForReady: false })
      expect(await early.exitCode).toBe(1)
      expect(early.stderr()).toContain('PLATFORM_DEFAULT_MODEL names a model that the registry does not know')
    }
    expect(await sync()).toMatchObject({ status: 200, body: { models: ['openai/house-model'] } })
    await plane.product.stop()
    const next = await startProduct({ env })
    const response = await fetch(`${next.baseUrl}${providersPath(id)}/models`, {
      headers: { authorization: `Bearer ${plane.owner.session}` },
    })
    expect(await response.json()).toMatchObject({ models: [{ modelId: 'openai/house-model' }] })
    await next.stop()
  })
})
