// Models without a price under a budget: the draft, what is deployed and a document warn of them, and only of them.
import { beforeAll, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { makeKey, type ProviderStage, startProviders } from '../providers/provider-stage.ts'
import { expectOk } from '../requests.ts'

/** As the seed has them. */
const [unpriced, alsoUnpriced, priced] = [
  'cohere/c4ai-aya-vision-32b',
  'cohere/c4ai-aya-vision-8b',
  'openai/gpt-4o-mini',
]
const budgets = [{ usd: 5, period: 'day' }]
interface Warning {
  code: string
  models: string[]
  message: string
}

describeEachBackend('warnings of the settings', start => {
  let stage: ProviderStage
  let plane: ManagementHarness
  beforeAll(async () => {
    stage = await startProviders(start)
    plane = stage.plane
  })

  async function makeProject() {
    const tenantId = await stage.makeTenant()
    expectOk(await stage.put(tenantId, 'cohere', { api_key: makeKey('cohere') }))
    const { id } = await plane.makeProject(tenantId)
    const ofTenant = `/auth/v1/tenants/${tenantId}`
    const ofProject = `/auth/v1/projects/${id}`
    const call = async (method: string, path: string, body?: object) =>
      await plane.call(method, path, { session: plane.owner.session, ...(body === undefined ? {} : { body }) })
    const warnings = async () =>
      expectOk<{ draft: Warning[]; deployed: Warning[] }>(await call('GET', `${ofProject}/settings/warnings`))
    const draftModels = async () => (await warnings()).draft.flatMap(({ models }) => models)
    const set = async (body: object) => expectOk(await call('PUT', `${ofProject}/settings`, body))
    return { tenantId, ofTenant, ofProject, call, warnings, draftModels, set }
  }

  test('the draft warns before the deploy, and what is live after it, until the model has a price', async () => {
    const { ofTenant, ofProject, call, warnings, set } = await makeProject()
    await set({ provider_model: unpriced })
    expect(await warnings()).toEqual({ draft: [], deployed: [] })
    await set({ budgets })
    const warning = {
      code: 'model_not_priced',
      models: [unpriced],
      message:
        `${unpriced} has no price, and a budget is in force: every request to it is refused with model_not_priced. ` +
        'Set its price, or remove the budget.',
    }
    expect(await warnings()).toEqual({ draft: [warning], deployed: [] })
    expectOk(await call('POST', `${ofProject}/settings/deploy`))
    expect(await warnings()).toEqual({ draft: [warning], deployed: [warning] })
    const price = { model: unpriced, input: 1, output: 2 }
    expectOk(await call('PUT', `${ofTenant}/prices`, { ...price, effective_from: '2999-01-01' }))
    expect((await warnings()).deployed).toEqual([warning])
    expectOk(await call('PUT', `${ofTenant}/prices`, price))
    expect(await warnings()).toEqual({ draft: [], deployed: [] })
  })

  test('a budget of the tenant, of a tier or of an end user bounds the models, too', async () => {
    const { ofTenant, ofProject, call, draftModels, set } = await makeProject()
    await set({ provider_model: unpriced })
    const put = async (path: string, list: object[]) => expectOk(await call('PUT', path, { budgets: list }))
    for (const path of [`${ofTenant}/budgets`, `${ofProject}/users/ann/budgets`]) {
      await put(path, budgets)
      expect(await draftModels()).toEqual([unpriced])
      await put(path, [])
      expect(await draftModels()).toEqual([])
    }
    const tier = { name: 'gold', overrides: { provider_model: alsoUnpriced, budgets } }
    expectOk(await call('POST', `${ofProject}/tiers`, tier), 201)
    expect(await draftModels()).toEqual([alsoUnpriced])
  })

  test('names the models of routes, allowed ones, and those of own providers', async () => {
    const { tenantId, draftModels, set } = await makeProject()
    const models = [{ id: 'bare' }, { id: 'dear', prices: { input: 1, output: 2 } }]
    const provider = {
      display_name: 'Own',
      base_url: `${stage.onPremise.url}/v1`,
      api_key: 'a-key-that-is-long',
      models,
    }
    expectOk(await stage.put(tenantId, 'custom/own', provider))
    await set({ budgets, provider_model: priced, allowed_models: [priced, 'custom-own/bare', 'custom-own/dear'] })
    expect(await draftModels()).toEqual(['custom-own/bare'])
    const targets = [priced, alsoUnpriced, unpriced].map(model => ({ model }))
    await set({ allowed_models: null, routes: { targets, strategy: 'fallback' } })
    expect(await draftModels()).toEqual([unpriced, alsoUnpriced])
    await set({ allowed_models: [priced, alsoUnpriced] })
    expect(await draftModels()).toEqual([alsoUnpriced])
  })

  test('a document that is compared or applied is warned of', async () => {
    const { ofProject, call } = await makeProject()
    const document = { settings: { provider_model: unpriced }, end_user_budgets: [{ uid: 'ann', budgets }] }
    const warningsOf = async (method: string, path: string, body: object) =>
      expectOk<{ warnings: Warning[] }>(await call(method, `${ofProject}/${path}`, body)).warnings
    const warning = { code: 'model_not_priced', models: [unpriced] }
    for (const [method, path] of [
      ['POST', 'draft/compare'],
      ['PUT', 'draft'],
    ] as const) {
      expect(await warningsOf(method, path, document)).toMatchObject([warning])
    }
    const without = { end_user_budgets: [], prune: true }
    expect(await warningsOf('PUT', 'draft', without)).toEqual([])
  })
})
