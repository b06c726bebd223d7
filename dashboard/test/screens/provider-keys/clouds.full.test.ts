// Clouds: configured as a whole after a check, replaced with their secrets typed again, and deleted after a warning.
import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedUpstream, startUpstream } from '../../../../server/test/support/simulated/scripted-upstream.ts'
import { type Dashboard, type Screen, startDashboard } from '../../support/dashboard.ts'
import { adminSecret, createStage, createViewer, type Stage } from '../../support/stage.ts'

const azureKey = 'a-key-of-azure-0123456789'
const clientSecret = 'a-secret-of-an-application-0123456789'
const awsSecret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'

let cloud: ScriptedUpstream
let dashboard: Dashboard
let stage: Stage
let path: string
beforeAll(async () => {
  cloud = await startUpstream()
  cloud.on('GET /openai/models', ({ headers }) =>
    headers['api-key'] === azureKey || headers.authorization === 'Bearer token'
      ? { body: { data: [] } }
      : { status: 401 },
  )
  const token = { body: { access_token: 'token', expires_in: 3600, token_type: 'Bearer' } }
  cloud.on('POST /entra/directory/oauth2/v2.0/token', token)
  cloud.on('POST /google/token', token)
  cloud.on('GET /', { body: '<GetCallerIdentityResponse/>' })
  dashboard = await startDashboard({
    ADMIN_SECRET: adminSecret,
    OUTBOUND_ALLOW: cloud.host,
    AZURE_AUTHORITY_HOST: `${cloud.url}/entra`,
    AWS_ENDPOINT_URL_STS: `${cloud.url}/`,
  })
  stage = await createStage(dashboard)
  path = `/app/tenants/${stage.tenantId}/provider-keys`
})
afterAll(async () => {
  await dashboard?.stop()
  await cloud?.close()
})

interface Configured {
  key_last4: string
  configuration: Record<string, string>
  models: { id: string; prices: object | null }[]
}

const read = (name: string, tenantId = stage.tenantId) =>
  dashboard.call<Configured>('GET', `/auth/v1/tenants/${tenantId}/providers/${name}`)

/** Of the field: the stored configuration is shown under the same names. */
const textOf = (screen: Screen, label: string) => screen.valueOf(`${label}[role="textbox"]`)
const store = (screen: Screen) => screen.click('Check and store')

async function addModel(screen: Screen, noun: string, id: string): Promise<void> {
  await screen.click(`Add a ${noun}`)
  await screen.fill('ID', id)
  await screen.click(`Add the ${noun}`)
  await screen.page.waitForSelector(`aria/Edit ${id}`)
}

/** Fills in the form, after each fault that it shows and each key that is rejected. */
async function configureAzure(screen: Screen): Promise<void> {
  await screen.fill('Endpoint', cloud.url)
  await screen.fill('API version', 'today')
  await screen.fill('Key', 'a-wrong-key-of-azure-0123456789')
  await store(screen)
  await screen.waitForText(' must be')
  await screen.fill('API version', '2024-10-21')
  await store(screen)
  await screen.waitForText(' must be an array of 1-500 objects')
  await addModel(screen, 'deployment', 'my-gpt')
  await screen.expectAccessible()
  await screen.click('Check only')
  await screen.waitForText('The provider rejected the credential.')
  await store(screen)
  await screen.waitForText('The provider rejected the key')
  await screen.fill('Key', azureKey)
  await screen.click('Check only')
  await screen.waitForText('The provider accepts the credential. Nothing is stored.')
  expect(await dashboard.call('GET', `/auth/v1/tenants/${stage.tenantId}/providers`)).toEqual({ providers: [] })
  await store(screen)
}

test('Azure is configured with a key, then replaced by an application; no secret is shown', async () => {
  await dashboard.visit(path, async screen => {
    await screen.click('Configure Azure OpenAI', 'link')
    await configureAzure(screen)
    await screen.waitForText('Azure OpenAI is configured.')
    await screen.waitForPath(path)
    await screen.waitForText('…6789')
    await screen.expectAccessible()
  })
  expect(await read('azure')).toMatchObject({
    key_last4: '6789',
    configuration: { base_url: cloud.url, api_version: '2024-10-21' },
    models: [{ id: 'my-gpt' }],
  })
  await dashboard.visit(path, async screen => {
    await screen.click('Show Azure OpenAI', 'link')
    await screen.waitForText('Replace the configuration')
    expect(await screen.page.content()).not.toContain(azureKey)
    expect([await textOf(screen, 'Endpoint'), await textOf(screen, 'Key')]).toEqual([cloud.url, ''])
    await screen.choose('Credential', 'application')
    await screen.fill('Directory (tenant) ID', 'directory')
    await screen.fill('Application (client) ID', 'app')
    await screen.fill('Client secret', clientSecret)
    await screen.click('Edit my-gpt')
    await screen.fill('Input price', '2.5')
    await screen.fill('Output price', '10')
    await screen.click('Change the deployment')
    await screen.expectAccessible()
    await store(screen)
    await screen.waitForText('Azure OpenAI is configured.')
    await screen.click('Show Azure OpenAI', 'link')
    await screen.waitForText('Replace the configuration')
    // The stored kind of credential is chosen, and what is no secret is filled in.
    expect(await screen.valueOf('Credential')).toBe('application')
    expect([await textOf(screen, 'Application (client) ID'), await textOf(screen, 'Client secret')]).toEqual([
      'app',
      '',
    ])
    expect(await screen.page.content()).not.toContain(clientSecret)
  })
  expect(await read('azure')).toMatchObject({
    configuration: { tenant_id: 'directory', client_id: 'app' },
    models: [{ id: 'my-gpt', prices: { input: 2.5, output: 10 } }],
  })
})

test('Bedrock and Vertex AI are configured with their own fields', async () => {
  // A tenant may check five credentials a minute.
  const { tenantId } = await createStage(dashboard)
  const ownPath = `/app/tenants/${tenantId}/provider-keys`
  await dashboard.visit(`${ownPath}/clouds/bedrock`, async screen => {
    await screen.fill('Region', 'eu-central-1')
    await screen.choose('Credential', 'role')
    await screen.fill('ARN of the role', 'arn:aws:iam::123456789012:role/sallyport')
    await screen.fill('File of the token', '/etc/passwd')
    await addModel(screen, 'model', 'anthropic.claude-v1:0')
    await store(screen)
    await screen.waitForText(' must be one of the files')
    await screen.expectAccessible()
    await screen.choose('Credential', 'key')
    await screen.fill('Access key ID', 'AKIAIOSFODNN7EXAMPLE')
    await screen.fill('Secret access key', awsSecret)
    await store(screen)
    await screen.waitForText('Amazon Bedrock is configured.')
    await screen.click('Show Amazon Bedrock', 'link')
    await screen.waitForText('…MPLE')
    // Only the end of the id is known, which is no value to send.
    expect(await textOf(screen, 'Access key ID')).toBe('')
    expect(await screen.page.content()).not.toContain(awsSecret)
  })
  expect(await read('bedrock', tenantId)).toMatchObject({ configuration: { region: 'eu-central-1' } })

  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const account = JSON.stringify({
    type: 'service_account',
    project_id: 'my-project',
    private_key_id: 'id-of-the-key',
    private_key: pem,
    client_email: 'sallyport@my-project.iam.gserviceaccount.com',
    token_uri: `${cloud.url}/google/token`,
  })
  await dashboard.visit(`${ownPath}/clouds/vertex`, async screen => {
    await screen.fill('Location', 'europe-west4')
    await addModel(screen, 'model', 'gemini-2.5-flash')
    await screen.fill('JSON key of the service account', '{}')
    await store(screen)
    await screen.waitForText(' must be the JSON key')
    await screen.fill('JSON key of the service account', account)
    await store(screen)
    await screen.waitForText('Vertex AI is configured.')
    await screen.click('Show Vertex AI', 'link')
    await screen.waitForText('sallyport@my-project.iam.gserviceaccount.com')
    await screen.expectAccessible()
    expect(await screen.page.content()).not.toContain('PRIVATE KEY')
  })
  expect(await read('vertex', tenantId)).toMatchObject({ configuration: { location: 'europe-west4' } })
})

test('a viewer reads a configuration; deleting one names the projects that stop answering', async () => {
  await dashboard.call('PUT', `/auth/v1/projects/${stage.projectId}/settings/model`, { provider_model: 'azure/my-gpt' })
  const viewer = await createViewer(dashboard, stage.tenantId)
  await dashboard.visit(
    path,
    async screen => {
      await screen.page.waitForSelector('aria/Show Azure OpenAI')
      expect(await screen.page.$$('main :is(button, input)')).toEqual([])
      await screen.click('Show Azure OpenAI', 'link')
      await screen.waitForText('my-gpt')
      await screen.waitForText('Your role does not let you')
      expect(await screen.page.$$('main :is(button, input)')).toEqual([])
    },
    viewer,
  )
  await dashboard.visit(path, async screen => {
    await screen.click('Delete Azure OpenAI')
    await screen.waitForText('One project answers with a model of Azure OpenAI')
    await screen.waitForText('Chat')
    await screen.expectAccessible()
    await screen.click('Delete configuration')
    await screen.waitForText('The Azure OpenAI configuration is deleted.')
    await screen.page.waitForSelector('aria/Configure Azure OpenAI')
  })
})
