// The prices of a tenant over the wire, on both topologies: what is listed, which values are refused, which price
// replaces which, who may change them, and what the list of models shows.
import { beforeAll, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { expectOk, expectRefusal, unknownId } from '../requests.ts'

interface Price {
  model: string
  input: number
  cached_input: number | null
  cache_write: number | null
  output: number
  reasoning: number | null
  effective_from: string | null
}

const model = 'openai/gpt-4o-mini'
const minimal = { model, input: 1, output: 2 }
const shown: Price = { ...minimal, cached_input: null, cache_write: null, reasoning: null, effective_from: null }

describeEachBackend('prices of a tenant', start => {
  let plane: ManagementHarness
  beforeAll(async () => {
    plane = await start()
  })

  const makeTenant = async () => (await plane.makeTenant({ plan: 'pro' })).id
  const pathOf = (tenantId: string) => `/auth/v1/tenants/${tenantId}/prices`
  const call = (method: string, tenantId: string, body?: unknown, session = plane.owner.session) =>
    plane.call(method, pathOf(tenantId), { session, ...(body === undefined ? {} : { body }) })
  const put = async (tenantId: string, body: unknown) =>
    expectOk<{ data: Price[] }>(await call('PUT', tenantId, body)).data
  const list = async (tenantId: string) => expectOk<{ data: Price[] }>(await call('GET', tenantId)).data
  const remove = (tenantId: string, query: string) =>
    plane.call('DELETE', `${pathOf(tenantId)}?${query}`, { session: plane.owner.session })

  test('are listed as they were given, by model', async () => {
    const tenantId = await makeTenant()
    expect(await list(tenantId)).toEqual([])
    const full = {
      model: 'anthropic/claude-sonnet-4-5',
      input: 3.000000001,
      cached_input: 0.3,
      cache_write: 3.75,
      output: 15,
      reasoning: 0,
      effective_from: null,
    }
    expect(await put(tenantId, minimal)).toEqual([shown])
    expect(await put(tenantId, full)).toEqual([full, shown])
    expect(await list(tenantId)).toEqual([full, shown])
    expect(await put(tenantId, { ...minimal, input: 5 })).toEqual([full, { ...shown, input: 5 }])
  })

  test('the same time is replaced, and prices without a time replace all that have begun', async () => {
    const tenantId = await makeTenant()
    const at = (effective_from: string, input: number) => put(tenantId, { ...minimal, input, effective_from })
    await put(tenantId, minimal)
    await at('2020-05-01', 2)
    await at('2999-05-01T12:00:00+02:00', 3)
    await at('2999-05-01T10:00:00Z', 4)
    expect(await at('2999-05-02', 5)).toMatchObject([
      { input: 1, effective_from: null },
      { input: 2, effective_from: '2020-05-01T00:00:00.000Z' },
      { input: 4, effective_from: '2999-05-01T10:00:00.000Z' },
      { input: 5, effective_from: '2999-05-02T00:00:00.000Z' },
    ])
    expect(await put(tenantId, { ...minimal, input: 6, effective_from: null })).toMatchObject([
      { input: 6, effective_from: null },
      { input: 4 },
      { input: 5 },
    ])
  })

  test.each([
    [{ model: undefined }, 'model must be a model ID, such as openai/gpt-5.4'],
    [{ model: 7 }, 'model must be a model ID, such as openai/gpt-5.4'],
    [{ model: 'gpt-4o' }, 'model must be a model ID, such as openai/gpt-5.4'],
    [{ model: 'nobody/gpt-4o' }, 'model must be a model ID, such as openai/gpt-5.4'],
    [{ input: undefined }, 'input must be a number of 0-1000000'],
    [{ input: '1' }, 'input must be a number of 0-1000000'],
    [{ input: -0.1 }, 'input must be a number of 0-1000000'],
    [{ input: 1_000_000.1 }, 'input must be a number of 0-1000000'],
    [{ input: 0.000_000_000_1 }, 'input must have at most 9 decimal places'],
    [{ output: null }, 'output must be a number of 0-1000000'],
    [{ cached_input: 'free' }, 'cached_input must be a number of 0-1000000'],
    [{ cache_write: -1 }, 'cache_write must be a number of 0-1000000'],
    [{ reasoning: true }, 'reasoning must be a number of 0-1000000'],
    [{ effective_from: 'tomorrow' }, 'effective_from must be an ISO 8601 time'],
    [{ effective_from: '2027-02-30' }, 'effective_from must be an ISO 8601 time'],
    [{ effective_from: 1_790_000_000 }, 'effective_from must be an ISO 8601 time'],
  ])('%j is refused: %s', async (change, message) => {
    const tenantId = await makeTenant()
    expectRefusal(await call('PUT', tenantId, { ...minimal, ...change }), 400, message)
    expect(await list(tenantId)).toEqual([])
  })

  test('of a model that none of the six providers has are refused; those of own providers are taken', async () => {
    const tenantId = await makeTenant()
    for (const unknown of ['openai/gpt-99', 'anthropic/gpt-4o', 'openrouter/nobody/nothing']) {
      const answer = await call('PUT', tenantId, { ...minimal, model: unknown })
      expectRefusal(answer, 404, 'The provider has no model of this name')
    }
    expect(await list(tenantId)).toEqual([])
    const own = ['azure/my-gpt', 'bedrock/anthropic.claude', 'custom-local/small', 'vertex/gemini']
    for (const model of own) await put(tenantId, { ...minimal, model })
    expect((await list(tenantId)).map(price => price.model)).toEqual(own)
  })

  test('a tenant has at most 500', async () => {
    const tenantId = await makeTenant()
    const values = Array.from({ length: 500 }, (_, index) => [tenantId, `custom-x/m${index}`, 0, '{"input":1}', 0])
    const rows = values.map(() => '(?, ?, ?, ?, ?)').join()
    await plane.query(
      `insert into tenant_prices (tenant_id, model, effective_at, prices, updated_at) values ${rows} returning model`,
      values.flat(),
    )
    expectRefusal(await call('PUT', tenantId, minimal), 400, 'A tenant has at most 500 prices')
    expect(await put(tenantId, { ...minimal, model: 'custom-x/m0' })).toHaveLength(500)
  })

  test('are deleted by model, or by model and time', async () => {
    const tenantId = await makeTenant()
    const later = { ...minimal, effective_from: '2999-01-01' }
    await put(tenantId, minimal)
    await put(tenantId, later)
    const query = `model=${encodeURIComponent(model)}`
    expectRefusal(await remove(tenantId, ''), 400, 'model is required')
    expectRefusal(await remove(tenantId, 'model=openai/other'), 404, 'No such price is set')
    expectRefusal(
      await remove(tenantId, `${query}&effective_from=never`),
      400,
      'effective_from must be an ISO 8601 time',
    )
    expectRefusal(await remove(tenantId, `${query}&effective_from=2998-01-01`), 404, 'No such price is set')
    expect((await remove(tenantId, `${query}&effective_from=2999-01-01`)).status).toBe(204)
    expect(await list(tenantId)).toEqual([shown])
    await put(tenantId, later)
    expect((await remove(tenantId, query)).status).toBe(204)
    expect(await list(tenantId)).toEqual([])
  })

  test('are those of one tenant; viewers read them, and strangers see nothing', async () => {
    const tenantId = await makeTenant()
    const other = await makeTenant()
    await put(tenantId, minimal)
    expect(await list(other)).toEqual([])
    expectRefusal(await remove(other, `model=${encodeURIComponent(model)}`), 404, 'No such price is set')
    const viewer = await plane.makePerson({ tenantId, role: 'viewer' })
    const member = await plane.makePerson({ tenantId, role: 'member' })
    const stranger = await plane.makePerson()
    expect((await call('GET', tenantId, undefined, viewer.session)).body).toEqual({ data: [shown] })
    expect((await call('PUT', tenantId, minimal, viewer.session)).status).toBe(403)
    expect((await call('GET', tenantId, undefined, stranger.session)).status).toBe(403)
    expect((await call('PUT', tenantId, { ...minimal, input: 9 }, stranger.session)).status).toBe(403)
    expect((await call('PUT', tenantId, minimal, member.session)).status).toBe(200)
    expect((await call('GET', unknownId)).status).toBe(404)
    expect(await list(tenantId)).toEqual([shown])
  })

  test('each change is an event of the tenant', async () => {
    const tenantId = await makeTenant()
    await put(tenantId, { ...minimal, input: 0.5 })
    await remove(tenantId, `model=${encodeURIComponent(model)}`)
    await remove(tenantId, `model=${encodeURIComponent(model)}`)
    const answer = await plane.call('GET', `/auth/v1/tenants/${tenantId}/events`, { session: plane.owner.session })
    expect(answer.body).toMatchObject({
      data: [
        { type: 'price_deleted', project_id: null, data: { model } },
        { type: 'price_set', project_id: null, data: { model, input: 0.5, output: 2 } },
      ],
    })
  })

  test('the list of models shows the prices in force', async () => {
    const tenantId = await makeTenant()
    await plane.query(
      `insert into provider_keys (id, tenant_id, provider_type, ciphertext, key_last4, key_set_at)
        values (?, ?, 'openai', '', '', 0) returning id`,
      [`key-${tenantId}`, tenantId],
    )
    const pricesOf = async () => {
      const path = `/auth/v1/tenants/${tenantId}/providers/models`
      const { body } = await plane.call('GET', path, { session: plane.owner.session })
      const { models } = body as { models: { modelId: string; prices: object }[] }
      return models.find(({ modelId }) => modelId === model)?.prices
    }
    expect(await pricesOf()).toEqual({
      input: 0.15,
      cachedInput: 0.075,
      cacheWrite: null,
      output: 0.6,
      reasoning: null,
    })
    await put(tenantId, { ...minimal, effective_from: '2999-01-01' })
    expect(await pricesOf()).toMatchObject({ input: 0.15 })
    await put(tenantId, { ...minimal, reasoning: 3 })
    expect(await pricesOf()).toEqual({ input: 1, cachedInput: null, cacheWrite: null, output: 2, reasoning: 3 })
  })
})
