// Custom providers that are configured: what is refused, what is asked of their servers and what is stored of it.
import { beforeAll, describe, expect, test } from 'vitest'
import { describeEachBackend } from '../../support/management-harness.ts'
import type { ScriptedUpstream } from '../../support/simulated/scripted-upstream.ts'
import { key, noCapabilities, unknownFacts } from './custom-bodies.ts'
import { type ProviderStage, providersPath, startProviders } from './provider-stage.ts'

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
  const base = () => ({ display_name: 'Local', base_url: `${server.url}/v1` })
  const serveModels = (data: unknown) => server.on('GET /v1/models', { body: data })

  beforeAll(async () => {
    tenantId = await stage.makeTenant()
  })

  describe('a PUT', () => {
    const named = [{ id: 'm' }]
    // At once, because no refusal is given within 500 ms.
    test.concurrent.each<[string, Record<string, unknown>, string]>([
      ['a', { display_name: ' ' }, 'display_name is required'],
      ['a', { base_url: undefined }, 'base_url is required'],
      ['a', { base_url: ' ' }, 'base_url is required'],
      ['a', { api_key: 'a b' }, 'api_key must be 1-1024 printable ASCII characters without white space'],
      ['a', { headers: [] }, 'headers must be an object'],
      ['a', { headers: { 'a:': 'b' } }, expect.stringMatching(/^headers must have names of/) as unknown as string],
      ['a', { headers: { 'x-a': 'b\r\nhost: c' } }, 'headers must have values of 1-4096 printable ASCII characters'],
      ['a', { headers: { Host: 'b' } }, 'headers must not set host'],
      ['a', { headers: { 'Content-Type': 'b' } }, 'headers must not set content-type'],
      ['a', { headers: { 'x-a': 'b', 'X-A': 'c' } }, 'headers must not set x-a twice'],
      ['a', { headers: { Authorization: 'b' }, api_key: 'c' }, 'headers must not set authorization beside an api_key'],
      [
        'a',
        { headers: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x-${index}`, 'v'])) },
        'headers must have at most 20 members',
      ],
      ['a', { models: [] }, 'models must be an array of 1-500 objects'],
      ['a', { models: Array(501).fill({ id: 'm' }) }, 'models must be an array of 1-500 objects'],
      ['a', { models: ['m'] }, 'models[0] must be an object'],
      ['a', { models: [{ id: 'a b' }] }, 'models[0].id must be 1-255 printable ASCII characters without white space'],
      ['a', { models: [{ id: 'm' }, { id: 'm' }] }, 'models[1].id is given twice'],
      [
        'a',
        { models: [{ id: 'm', context_window: 0 }] },
        'models[0].context_window must be an integer of 1-1000000000',
      ],
      [
        'a',
        { models: [{ id: 'm', max_output_tokens: 1.5 }] },
        'models[0].max_output_tokens must be an integer of 1-1000000000',
      ],
      ['a', { models: [{ id: 'm', display_name: '' }] }, 'models[0].display_name is required'],
      ['a', { models: [{ id: 'm', capabilities: { tools: 1 } }] }, 'models[0].capabilities.tools must be a boolean'],
      [
        'a',
        { models: [{ id: 'm', capabilities: { magic: true } }] },
        'models[0].capabilities must have only: streaming, tools, vision, reasoning, structured_output, temperature, surfaces',
      ],
      ...[[], ['images'], ['embeddings', 'embeddings'], 'embeddings'].map(
        (surfaces): [string, Record<string, unknown>, string] => [
          'a',
          { models: [{ id: 'm', capabilities: { surfaces } }] },
          'models[0].capabilities.surfaces must name some of: chat_completions, responses, messages, embeddings',
        ],
      ),
      ['a', { models: [{ id: 'm', prices: { input: 1 } }] }, 'models[0].prices.output must be a number of 0-1000000'],
      [
        'a',
        { models: [{ id: 'm', prices: { input: -1, output: 1 } }] },
        'models[0].prices.input must be a number of 0-1000000',
      ],
      [
        'a',
        { models: [{ id: 'm', prices: { input: 1, output: 1, image: 1 } }] },
        'models[0].prices must have only: input, cached_input, cache_write, output, reasoning, effective_from',
      ],
      [
        'a',
        { models: [{ id: 'm', prices: { input: 1, output: 1, effective_from: 'soon' } }] },
        'models[0].prices.effective_from must be an ISO 8601 time',
      ],
      ...['A', 'a_b', '-a', 'a-', 'a'.repeat(57)].map((slug): [string, Record<string, unknown>, string] => [
        slug,
        {},
        'slug must be 1-56 lower-case letters, digits and hyphens, with no hyphen at either end',
      ]),
    ])('for %s with %j says: %s', async (slug, fields, message) => {
      const answer = await put(slug, { ...base(), models: named, ...fields })
      expect(answer.body).toEqual({ error: message })
      expect(answer.status).toBe(400)
    })

    test.concurrent.each([
      'http://example.com/v1',
      'https://127.0.0.1/v1',
      'https://localhost:11434/v1',
      'https://169.254.169.254/latest',
      'https://user:word@example.com/v1',
      'https://no-such-name.invalid/v1',
      'not an address',
    ])('refuses the address %s as it does that of a key', async address => {
      const answer = await put('a', { ...base(), base_url: address, models: named })
      expect(answer.body).toEqual({ error: 'The address is not allowed', code: 'INVALID_BASE_URL' })
      expect(answer.status).toBe(400)
    })

    test('needs the pro plan', async () => {
      const { id } = await stage.plane.makeTenant()
      expect(await put('a', { ...base(), models: named }, id)).toMatchObject({
        status: 403,
        body: { code: 'BYOAK_REQUIRES_PRO' },
      })
    })

    test('checks the key with the server, and stores nothing that it rejects', async () => {
      const tenant = await stage.makeTenant()
      const tell = async (answer: object) => {
        server.on('GET /v1/models', answer)
        const { status, body, tookMs } = await put('a', { ...base(), api_key: key, models: named }, tenant)
        expect(tookMs).toBeGreaterThanOrEqual(500)
        return [status, (body as { code?: string }).code]
      }
      expect(await tell({ status: 401, body: {} })).toEqual([422, 'KEY_VALIDATION_FAILED'])
      expect(await tell({ status: 500, body: {} })).toEqual([502, 'PROVIDER_UNREACHABLE'])
      expect(await tell({ hangUp: true })).toEqual([502, 'PROVIDER_UNREACHABLE'])
      expect((await call('GET', pathOf('a', tenant), owner())).status).toBe(404)
      // A server without a list of models.
      expect(await tell({ status: 404, body: {} })).toEqual([200, undefined])
      expect(server.requests.at(-1)?.headers.authorization).toBe(`Bearer ${key}`)
      expect(await tell({ body: {} })).toEqual([200, undefined])
      expect(await tell({ body: {} })).toEqual([429, 'RATE_LIMITED'])
    })

    test('stores the models that the server lists, in either form, or says that there are none', async () => {
      const tenant = await stage.makeTenant()
      const bare = { display_name: 'Local', base_url: server.url }
      serveModels({ object: 'list', data: [{ id: 'llama3.2:3b' }, { id: 'with space' }, { object: 'model' }] })
      const first = await put('a', bare, tenant)
      expect(first.body).toMatchObject({
        base_url: server.url,
        models_discovered: true,
        models: [
          { id: 'llama3.2:3b', model_id: 'custom-a/llama3.2:3b', ...unknownFacts, capabilities: noCapabilities },
        ],
      })
      serveModels([
        { id: 'org/big', display_name: 'Big', context_length: 131_072, supports_tools: true },
        { id: 'vllm', max_model_len: 4_096 },
        { id: 'groq', context_window: 8_192, max_completion_tokens: 1_024 },
      ])
      expect((await put('a', bare, tenant)).body).toMatchObject({
        models: [
          { id: 'org/big', display_name: 'Big', context_window: 131_072, capabilities: { tools: true } },
          { id: 'vllm', context_window: 4_096 },
          { id: 'groq', context_window: 8_192, max_output_tokens: 1_024 },
        ],
      })
      const refused = {
        status: 422,
        body: {
          error: 'The provider has no usable list of models. Name them in models.',
          code: 'MODELS_NOT_LISTED',
        },
      }
      for (const none of [{ data: [] }, { data: Array.from({ length: 501 }, (_, index) => ({ id: `m${index}` })) }]) {
        serveModels(none)
        expect(await put('a', bare, tenant)).toMatchObject(refused)
      }
      server.on('GET /v1/models', { status: 404, body: {} })
      expect(await put('a', bare, tenant)).toMatchObject(refused)
      expect((await call('GET', pathOf('a', tenant), owner())).body).toMatchObject({ models: [{}, {}, {}] })
    })

    test('holds at most 2000 models of a tenant', async () => {
      const tenant = await stage.makeTenant()
      server.on('GET /v1/models', { body: {} })
      const models = Array.from({ length: 500 }, (_, index) => ({ id: `m${index}` }))
      for (const slug of ['a', 'b', 'c', 'd']) {
        expect((await put(slug, { ...base(), models }, tenant)).status).toBe(200)
      }
      const next = await put('e', { ...base(), models: named }, tenant)
      expect(next).toMatchObject({
        status: 400,
        body: { error: 'The providers of a tenant have at most 2000 models of its own together' },
      })
    })
  })
})
