// Custom providers over the wire: what a PUT refuses, what it asks the server, what is stored and shown, who sees it, and
// when it may be deleted.
import { beforeAll, describe, expect, test } from 'vitest'
import { describeEachBackend } from '../../support/management-harness.ts'
import type { ScriptedUpstream } from '../../support/simulated/scripted-upstream.ts'
import { key, noCapabilities, unknownFacts } from './custom-bodies.ts'
import { type ProviderStage, providersPath, startProviders } from './provider-stage.ts'

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const header = 'a-secret-of-the-header-tail'

describeEachBackend('custom providers', start => {
  let stage: ProviderStage
  let server: ScriptedUpstream
  let tenantId: string
  beforeAll(async () => {
    stage = await startProviders(start)
    server = stage.onPremise
  })
  const call = (...args: Parameters<ProviderStage['plane']['call']>) => stage.plane.call(...args)
  const owner = () => ({ session: stage.plane.owner.session })
  const pathOf = (slug: string, tenant = tenantId) => `${providersPath(tenant)}/custom/${slug}`
  const put = (slug: string, body: unknown, tenant = tenantId) =>
    call('PUT', pathOf(slug, tenant), { ...owner(), body })
  const serveModels = (data: unknown) => server.on('GET /v1/models', { body: data })

  beforeAll(async () => {
    tenantId = await stage.makeTenant()
  })

  describe('what is stored', () => {
    const body = () => ({
      display_name: ' Our models ',
      base_url: `${server.url}/v1/`,
      api_key: key,
      headers: { 'X-Team': header, 'x-short': 'abc' },
      models: [
        {
          id: 'org/model',
          display_name: 'Model',
          context_window: 8_192,
          max_output_tokens: 1_024,
          capabilities: { tools: true, vision: false },
          prices: { input: 1.5, output: 6, reasoning: 8, effective_from: '2025-01-01' },
        },
        { id: 'bare' },
      ],
    })
    const shown = () => ({
      slug: 'stored',
      provider_type: 'custom-stored',
      display_name: 'Our models',
      base_url: `${server.url}/v1`,
      api_key_hint: '…last',
      headers: { 'x-team': '…tail', 'x-short': '…' },
      models_discovered: false,
      models: [
        {
          id: 'org/model',
          model_id: 'custom-stored/org/model',
          display_name: 'Model',
          context_window: 8_192,
          max_output_tokens: 1_024,
          capabilities: { ...noCapabilities, tools: true, vision: false },
          prices: {
            input: 1.5,
            cached_input: null,
            cache_write: null,
            output: 6,
            reasoning: 8,
            effective_from: '2025-01-01T00:00:00.000Z',
          },
        },
        { id: 'bare', model_id: 'custom-stored/bare', ...unknownFacts, capabilities: noCapabilities },
      ],
      projects_using_count: 0,
      updated_at: expect.stringMatching(isoTime),
    })
    let tenant: string
    beforeAll(async () => {
      tenant = await stage.makeTenant()
      serveModels({ data: [] })
      expect((await put('stored', body(), tenant)).body).toEqual(shown())
    })

    test('is shown without its secrets, alone and in the list, which suggests others', async () => {
      expect((await call('GET', pathOf('stored', tenant), owner())).body).toEqual(shown())
      const list = await call('GET', `${providersPath(tenant)}/custom`, owner())
      expect(list.body).toMatchObject({ data: [shown()] })
      const { presets } = list.body as { presets: { slug: string; base_url: string; needs_key: boolean }[] }
      expect(presets.map(({ slug }) => slug)).toEqual([
        'ollama',
        'vllm',
        'groq',
        'deepseek',
        'xai',
        'together',
        'fireworks',
      ])
      expect(list.text).not.toMatch(new RegExp(`${key}|${header}`))
    })

    test('says of each suggestion whether a server was found: none, where no usual address is allowed', async () => {
      for (const query of ['', '?find=false', '?find=true']) {
        const list = await call('GET', `${providersPath(tenant)}/custom${query}`, owner())
        const { presets } = list.body as { presets: { found: boolean }[] }
        expect(presets.map(({ found }) => found)).toEqual(Array(7).fill(false))
      }
      const wrong = await call('GET', `${providersPath(tenant)}/custom?find=yes`, owner())
      expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('find must be true or false')])
    })

    test('is encrypted, whole, and bound to its address', async () => {
      const rows = await stage.plane.query<Record<string, unknown>>('select * from provider_keys where tenant_id = ?', [
        tenant,
      ])
      expect(rows).toHaveLength(1)
      expect(JSON.stringify(rows)).not.toMatch(new RegExp(`${key}|${header}`))
      expect(rows[0]?.['base_url_override']).toBe(`${server.url}/v1`)
    })

    test('is among the types that the gateway knows and the models of the tenant, and not among its keys', async () => {
      expect((await call('GET', `${providersPath(tenant)}?fields=types`, owner())).body).toEqual({
        provider_types: ['custom-stored'],
      })
      expect((await call('GET', providersPath(tenant), owner())).body).toEqual({ providers: [] })
      const { models } = (await call('GET', `${providersPath(tenant)}/models`, owner())).body as { models: unknown[] }
      expect(models).toMatchObject([
        {
          modelId: 'custom-stored/bare',
          displayName: 'bare',
          providerSlug: 'custom-stored',
          providerDisplayName: 'Our models',
          supportsToolUse: null,
        },
        {
          modelId: 'custom-stored/org/model',
          displayName: 'Model',
          contextWindow: 8_192,
          maxOutputTokens: 1_024,
          supportsToolUse: true,
          supportsVision: false,
          prices: { input: 1.5, cachedInput: null, cacheWrite: null, output: 6, reasoning: 8 },
        },
      ])
    })

    test('is in the export of the tenant, without its secrets', async () => {
      const { text } = await call('GET', `/auth/v1/tenants/${tenant}/export`, owner())
      const records = text.trim().split('\n')
      const record = records.map(line => JSON.parse(line)).find(({ type }) => type === 'provider_key')
      expect(JSON.stringify(record)).toContain('"org/model"')
      expect(text).not.toMatch(new RegExp(`${key}|${header}`))
    })

    test('is no other tenant\u2019s', async () => {
      const other = await stage.makeTenant()
      expect((await call('GET', pathOf('stored', other), owner())).status).toBe(404)
      expect((await call('GET', `${providersPath(other)}/custom`, owner())).body).toMatchObject({ data: [] })
      expect((await call('GET', `${providersPath(other)}/models`, owner())).body).toEqual({ models: [] })
      expect((await call('DELETE', pathOf('stored', other), owner())).status).toBe(404)
      const { id } = await stage.plane.makeProject(other)
      const model = { provider_model: 'custom-stored/bare' }
      const known = /^provider_model must be a known model ID/
      const unknown = { status: 400, body: { error: expect.stringMatching(known) } }
      const projectPath = `/auth/v1/projects/${id}`
      expect(await call('PUT', `${projectPath}/settings/model`, { ...owner(), body: model })).toMatchObject(unknown)
      expect(await call('PUT', `${projectPath}/settings`, { ...owner(), body: model })).toMatchObject(unknown)
      const tier = { name: 'gold', overrides: model }
      expect(await call('POST', `${projectPath}/tiers`, { ...owner(), body: tier })).toMatchObject(unknown)
      const allowed = { allowed_models: ['custom-stored/bare'] }
      expect((await call('PUT', `${projectPath}/settings`, { ...owner(), body: allowed })).status).toBe(400)
    })

    test('is for members: a stranger and a viewer change nothing', async () => {
      const viewer = await stage.plane.makePerson({ tenantId: tenant, role: 'viewer' })
      const stranger = await stage.plane.makePerson()
      const as = (session: string, method: string) =>
        call(method, pathOf('stored', tenant), { session, ...(method === 'PUT' ? { body: body() } : {}) })
      expect((await as(viewer.session, 'GET')).status).toBe(200)
      expect((await as(viewer.session, 'PUT')).status).toBe(403)
      expect((await as(viewer.session, 'DELETE')).status).toBe(403)
      expect((await as(stranger.session, 'GET')).status).toBe(403)
    })
  })

  describe('a model of a custom provider', () => {
    const used = { status: 409, body: { code: 'PROVIDER_IN_USE' } }
    let tenant: string
    let project: string
    beforeAll(async () => {
      tenant = await stage.makeTenant()
      project = (await stage.plane.makeProject(tenant)).id
      serveModels({ data: [{ id: 'one' }, { id: 'two' }] })
      expect((await put('used', { display_name: 'Used', base_url: server.url }, tenant)).status).toBe(200)
    })
    const settings = (method: string, path: string, body?: unknown) =>
      call(method, `/auth/v1/projects/${project}${path}`, { ...owner(), ...(body === undefined ? {} : { body }) })
    const remove = () => call('DELETE', pathOf('used', tenant), owner())

    test('may be selected, drafted, allowed and put into a tier, if the provider has it', async () => {
      const unknown = { provider_model: 'custom-used/three' }
      expect((await settings('PUT', '/settings/model', unknown)).status).toBe(400)
      expect((await settings('PUT', '/settings', unknown)).status).toBe(400)
      const known = { provider_model: 'custom-used/one', allowed_models: ['custom-used/one', 'custom-used/two'] }
      expect((await settings('PUT', '/settings', known)).status).toBe(200)
      const mixed = { allowed_models: ['custom-used/one', 'custom-used/three'] }
      expect((await settings('PUT', '/settings', mixed)).status).toBe(400)
      expect((await settings('POST', '/settings/deploy')).status).toBe(200)
      expect((await call('GET', pathOf('used', tenant), owner())).body).toMatchObject({ projects_using_count: 1 })
    })

    test('keeps its provider while routes name it: drafted, deployed, or in a tier', async () => {
      const routes = { targets: [{ model: 'custom-used/one' }], strategy: 'fallback' }
      await settings('DELETE', '/settings/model')
      await settings('PUT', '/settings', { allowed_models: null })
      await settings('POST', '/settings/deploy')
      expect((await settings('PUT', '/settings', { routes })).status).toBe(200)
      expect(await remove()).toMatchObject(used)
      expect((await settings('POST', '/settings/deploy')).status).toBe(200)
      expect((await settings('PUT', '/settings', { routes: null })).status).toBe(200)
      expect(await remove()).toMatchObject(used)
      expect((await settings('POST', '/settings/deploy')).status).toBe(200)
      const tier = await settings('POST', '/tiers', { name: 'routed', overrides: { routes } })
      expect(await remove()).toMatchObject(used)
      expect((await settings('POST', '/settings/deploy')).status).toBe(200)
      const { id } = tier.body as { id: string }
      expect((await settings('DELETE', `/tiers/${id}`)).status).toBe(204)
      expect(await remove()).toMatchObject(used)
      expect((await settings('PUT', '/settings/model', { provider_model: 'custom-used/one' })).status).toBe(200)
      expect((await settings('POST', '/settings/deploy')).status).toBe(200)
    })

    test('keeps its provider while a project names it: deployed, drafted, or in a tier', async () => {
      expect(await remove()).toMatchObject(used)
      expect((await settings('DELETE', '/settings/model')).status).toBe(204)
      expect((await settings('PUT', '/settings/model/draft', { provider_model: 'custom-used/two' })).status).toBe(200)
      expect(await remove()).toMatchObject(used)
      expect((await settings('DELETE', '/settings/model/draft')).status).toBe(204)
      const tier = await settings('POST', '/tiers', {
        name: 'gold',
        overrides: { provider_model: 'custom-used/one' },
      })
      expect(tier.status).toBe(201)
      expect(await remove()).toMatchObject(used)
      expect((await settings('POST', '/settings/deploy')).status).toBe(200)
      expect((await settings('DELETE', `/tiers/${(tier.body as { id: string }).id}`)).status).toBe(204)
      // The tier is deleted in the draft alone.
      expect(await remove()).toMatchObject(used)
      expect((await settings('POST', '/settings/deploy')).status).toBe(200)
      expect((await remove()).status).toBe(204)
      expect(await remove()).toMatchObject({ status: 404, body: { error: 'Custom provider not found' } })
      const gone = { provider_model: 'custom-used/one' }
      expect((await settings('PUT', '/settings/model', gone)).status).toBe(400)
    })
  })

  test('the routes of keys refuse custom providers', async () => {
    const { put: putKey } = stage
    expect((await putKey(tenantId, 'custom-a', { api_key: key })).status).toBe(400)
    expect((await putKey(tenantId, 'custom', { api_key: key })).status).toBe(405)
    expect((await call('DELETE', `${providersPath(tenantId)}/custom-a`, owner())).status).toBe(404)
  })
})
