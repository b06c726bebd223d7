// Custom providers: added from a preset, with discovered or named models, changed as a whole, and deleted.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedUpstream, startUpstream } from '../../../../server/test/support/simulated/scripted-upstream.ts'
import { type Dashboard, type Screen, startDashboard } from '../../support/dashboard.ts'
import { adminSecret, createStage, createViewer, type Stage, setPlan } from '../../support/stage.ts'

const key = 'a-key-of-a-custom-provider-0123456789'
const header = 'a-value-of-a-header-0123456789'

let server: ScriptedUpstream
let dashboard: Dashboard
let stage: Stage
let path: string
beforeAll(async () => {
  server = await startUpstream()
  server.on('GET /v1/models', { body: { data: [{ id: 'llama3', context_length: 8192 }, { id: 'nomic' }] } })
  dashboard = await startDashboard({ ADMIN_SECRET: adminSecret, OUTBOUND_ALLOW: server.host })
  stage = await createStage(dashboard)
  path = `/app/tenants/${stage.tenantId}/provider-keys`
})
afterAll(async () => {
  await dashboard?.stop()
  await server?.close()
})

interface Stored {
  slug: string
  base_url: string
  api_key_hint: string | null
  headers: Record<string, string>
  models_discovered: boolean
  models: { id: string; context_window: number | null; prices: object | null; capabilities: object }[]
}

const list = async (): Promise<Stored[]> => {
  const { data } = await dashboard.call<{ data: Stored[] }>(
    'GET',
    `/auth/v1/tenants/${stage.tenantId}/providers/custom`,
  )
  return data
}

const store = (screen: Screen) => screen.click('Check and store the provider')

test('a preset fills in the form; the list of models is read from the server', async () => {
  await dashboard.visit(path, async screen => {
    await screen.waitForText('No custom providers')
    await screen.click('Add a custom provider', 'link')
    await screen.choose('Server', 'groq')
    expect(await screen.valueOf('Base URL')).toBe('https://api.groq.com/openai/v1')
    await screen.page.waitForSelector('aria/Key')
    await screen.expectAccessible()
    await screen.choose('Server', 'ollama')
    expect([await screen.valueOf('Short name'), await screen.valueOf('Credential')]).toEqual(['ollama', 'none'])
    expect(await screen.page.$('aria/Key')).toBeNull()

    await screen.fill('Base URL', 'http://127.0.0.1:1/v1')
    await store(screen)
    await screen.waitForText('The address is not allowed. Without permission, only public https addresses are.')
    await screen.waitForText('the environment variable OUTBOUND_ALLOW=127.0.0.1:1 of the Sallyport server')
    await screen.fill('Base URL', `${server.url}/v1`)
    await screen.fill('Short name', 'Not A Slug')
    await store(screen)
    await screen.waitForText(' must be 1-56')
    await screen.fill('Short name', 'local')
    await store(screen)
    await screen.waitForText('The provider is stored.')
    await screen.waitForPath(path)
    await screen.waitForText('custom-local/')
    await screen.expectAccessible()
  })
  expect(await list()).toMatchObject([
    {
      slug: 'local',
      base_url: `${server.url}/v1`,
      api_key_hint: null,
      headers: {},
      models_discovered: true,
      models: [
        { id: 'llama3', context_window: 8192, prices: null },
        { id: 'nomic', context_window: null },
      ],
    },
  ])
})

test('a new provider does not replace one of the same name', async () => {
  await dashboard.visit(`${path}/new-custom`, async screen => {
    await screen.choose('Credential', 'none')
    await screen.fill('Name', 'Other')
    await screen.fill('Short name', 'local')
    await screen.fill('Base URL', server.url)
    await store(screen)
    await screen.waitForText(' must be another one')
  })
  expect(await list()).toMatchObject([{ display_name: 'Ollama' }])
})

/** Leaves out a model, gives one prices and capabilities, and adds another one. */
async function editModels(screen: Screen): Promise<void> {
  await screen.click('Leave out nomic')
  await screen.click('Edit llama3')
  await screen.fill('Max output tokens', 'many')
  await screen.click('Change the model')
  await screen.waitForText(' must be a whole number')
  await screen.fill('Max output tokens', '4096')
  await screen.fill('Input price', '0.5')
  await screen.click('Change the model')
  await screen.waitForText(' must be given')
  await screen.expectAccessible()
  await screen.fill('Output price', '1.25')
  await screen.fill('Reasoning price', '2')
  await screen.choose('Tools', 'true')
  await screen.click('Change the model')
  await screen.waitForText('$1.25')
  await screen.click('Add a model')
  await screen.fill('ID', 'llama3')
  await screen.click('Add the model')
  await screen.waitForText(' must be another one')
  await screen.fill('ID', 'embed')
  for (const name of ['Chat completions', 'Responses', 'Messages', 'Embeddings']) {
    await screen.click(name, 'checkbox')
  }
  await screen.click('Add the model')
  await screen.waitForText('embed')
}

test('models get prices and capabilities of the tenant; secrets are typed again with each change', async () => {
  await dashboard.visit(`${path}/custom/local`, async screen => {
    await screen.waitForText('8,192')
    await screen.choose('List of models', 'named')
    await editModels(screen)
    await screen.choose('Credential', 'key')
    await screen.fill('Key', key)
    await screen.fill('Headers (optional)', 'no colon')
    await store(screen)
    await screen.waitForText(' must each have a name')
    await screen.fill('Headers (optional)', `X-Team: ${header}`)
    await store(screen)
    await screen.waitForText('The provider is changed.')
  })
  const chat = ['chat_completions', 'responses', 'messages']
  expect(await list()).toMatchObject([
    {
      api_key_hint: '…6789',
      headers: { 'x-team': '…6789' },
      models_discovered: false,
      models: [
        {
          id: 'llama3',
          context_window: 8192,
          max_output_tokens: 4096,
          prices: { input: 0.5, output: 1.25, cached_input: null, reasoning: 2 },
          capabilities: { tools: true, vision: null, surfaces: chat },
        },
        { id: 'embed', prices: null, capabilities: { surfaces: ['embeddings'] } },
      ],
    },
  ])
  expect(server.requests.at(-1)?.headers).toMatchObject({ authorization: `Bearer ${key}`, 'x-team': header })

  await dashboard.visit(`${path}/custom/local`, async screen => {
    await screen.waitForText('The stored key (…6789) is not shown')
    expect(await screen.valueOf('Headers (optional)')).toBe('x-team: ')
    const page = await screen.page.content()
    expect([page.includes(key), page.includes(header)]).toEqual([false, false])
    // The browser asks for the key; a header without its value is not lost unsaid.
    await store(screen)
    expect(
      await screen.page.$eval('input[name=api_key]', field => (field as HTMLInputElement).validity.valueMissing),
    ).toBe(true)
    await screen.fill('Key', key)
    await store(screen)
    await screen.waitForText(' must have values')
    await screen.expectAccessible()
  })
  expect((await list())[0]?.api_key_hint).toBe('…6789')
})

test('a project uses its models; the provider is deleted once no project names one', async () => {
  await dashboard.visit(`/app/projects/${stage.projectId}/first-steps`, async screen => {
    await screen.page.waitForSelector('option[value="custom-local/llama3"]')
    const offered = await screen.page.$$eval('select[name=provider_model] option', all => all.map(({ value }) => value))
    expect(offered).toEqual(['custom-local/llama3'])
    await screen.waitForText('No model can answer yet')
    await screen.open(`/app/projects/${stage.projectId}/models`)
    await screen.waitForText('Does not answer chats')
    await screen.click('Use as draft: custom-local/llama3')
    await screen.waitForText('is the draft model.')
    await screen.open(path)
    await screen.click('Delete Ollama')
    await screen.click('Delete provider')
    await screen.waitForText('A project uses a model of this provider.')
    await screen.expectAccessible()
    expect(await list()).toHaveLength(1)
    await dashboard.call('DELETE', `/auth/v1/projects/${stage.projectId}/settings/model/draft`)
    await screen.click('Delete provider')
    await screen.waitForText('No custom providers')
  })
  expect(await list()).toEqual([])
})

test('a viewer reads what is configured; on the free plan nothing is stored', async () => {
  const models = [{ id: 'llama3', display_name: 'Llama' }]
  const body = { display_name: 'Local', base_url: `${server.url}/v1`, models }
  await dashboard.call('PUT', `/auth/v1/tenants/${stage.tenantId}/providers/custom/local`, body)
  const viewer = await createViewer(dashboard, stage.tenantId)
  await dashboard.visit(
    path,
    async screen => {
      await screen.click('Local', 'link')
      await screen.waitForText('Llama')
      await screen.waitForText('Your role does not let you')
      expect(await screen.page.$$('main :is(button, input)')).toEqual([])
      await screen.expectAccessible()
    },
    viewer,
  )
  await setPlan(dashboard, stage.tenantId, 'free')
  await dashboard.visit(path, async screen => {
    await screen.waitForText('custom-local/')
    expect(await screen.text()).not.toContain('Add a custom provider')
    await screen.click('Local', 'link')
    await screen.waitForText('Your tenant is on the free plan')
    expect(await screen.page.$('input[name=base_url]')).toBeNull()
  })
})
