// Provider keys: checked with the provider before they are stored, replaced, and removed after a warning that names
// what stops answering.
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedUpstream, startUpstream } from '../../../../server/test/support/simulated/scripted-upstream.ts'
import { type Dashboard, hostileTexts, startDashboard } from '../../support/dashboard.ts'
import { adminSecret, createStage, createViewer, type Stage, setPlan } from '../../support/stage.ts'

const models = 'GET /v1/models'
const key = 'sk-a-key-that-is-long-enough'

let provider: ScriptedUpstream
let dashboard: Dashboard
let stage: Stage
beforeAll(async () => {
  provider = await startUpstream()
  dashboard = await startDashboard({ OPENAI_BASE_URL: provider.url, ADMIN_SECRET: adminSecret })
  stage = await createStage(dashboard, hostileTexts[0])
})
afterAll(async () => {
  await dashboard?.stop()
  await provider?.close()
})

interface KeyList {
  providers: { provider_type: string; key_last4: string }[]
}

const listKeys = async () => {
  const { providers } = await dashboard.call<KeyList>('GET', `/auth/v1/tenants/${stage.tenantId}/providers`)
  return providers.map(({ provider_type, key_last4 }) => `${provider_type} ${key_last4}`)
}

test('a key is checked, stored, replaced, and removed after a warning', async () => {
  const list = { body: { object: 'list', data: [] } }
  await dashboard.visit(`/app/tenants/${stage.tenantId}/provider-keys`, async screen => {
    await screen.waitForText('No provider keys')
    await screen.expectAccessible()
    await screen.click('Add key')
    for (const hostile of hostileTexts.slice(0, 2)) {
      await screen.fill('Provider key', hostile)
      await screen.submitDialog()
      await screen.waitForText(' must be')
    }
    provider.on(models, { status: 401, body: { error: { message: 'no' } } })
    await screen.fill('Provider key', key)
    await screen.submitDialog()
    await screen.waitForText('The provider rejected the key')
    expect(await listKeys()).toEqual([])

    const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>()
    provider.on(models, { write: resolve })
    await screen.submitDialog()
    await screen.waitForText('Checking the key with OpenAI')
    await screen.expectAccessible()
    const response = await asked
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list.body))
    await screen.waitForText('The key is stored.')
    expect(await listKeys()).toEqual(['openai ough'])
    expect(await screen.page.content()).not.toContain(key)

    provider.on(models, list)
    await screen.click('Replace the OpenAI key')
    await screen.fill('Provider key', `${key}-new`)
    await screen.submitDialog()
    await screen.waitForText('The key is replaced.')
    expect(await listKeys()).toEqual(['openai -new'])

    const path = `/auth/v1/projects/${stage.projectId}/settings/model`
    await dashboard.call('PUT', path, { provider_model: 'openai/gpt-4o-mini' })
    await screen.open(`/app/tenants/${stage.tenantId}/provider-keys`)
    await screen.click('Remove the OpenAI key')
    await screen.waitForText('One project answers with a model of OpenAI')
    await screen.waitForText(hostileTexts[0] ?? '')
    await screen.expectAccessible()
    await screen.click('Cancel')
    expect(await listKeys()).toHaveLength(1)
    await screen.click('Remove the OpenAI key')
    await screen.submitDialog()
    await screen.waitForText('No provider keys')
    expect(await listKeys()).toEqual([])
  })
})

test('a free plan says what is missing; a viewer changes nothing', async () => {
  const path = `/app/tenants/${stage.tenantId}/provider-keys`
  const viewer = await createViewer(dashboard, stage.tenantId)
  await dashboard.visit(
    path,
    async screen => {
      await screen.waitForText('No provider keys')
      expect(await screen.page.$$('main button')).toEqual([])
    },
    viewer,
  )
  await setPlan(dashboard, stage.tenantId, 'free')
  await dashboard.visit(path, async screen => {
    await screen.waitForText('Your tenant is on the free plan')
    expect(await screen.text()).not.toContain('Add key')
    await screen.expectAccessible()
    await screen.click('Set the pro plan')
    await screen.waitForText('is on the pro plan now.')
    await screen.waitForText('Add key')
  })
})
