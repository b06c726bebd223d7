// The models of a project: found by a word, chosen as the draft, discarded, made live after a confirmation.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SimulatedProvider, startSimulatedProvider } from '../../../server/src/demo/simulated-provider.ts'
import { type Dashboard, hostileTexts, startDashboard } from '../support/dashboard.ts'
import { adminSecret, createStage, createViewer, type Stage } from '../support/stage.ts'

let provider: SimulatedProvider
let dashboard: Dashboard
let stage: Stage
beforeAll(async () => {
  provider = await startSimulatedProvider()
  dashboard = await startDashboard({ ADMIN_SECRET: adminSecret, OPENAI_BASE_URL: provider.baseUrl })
  stage = await createStage(dashboard)
})
afterAll(async () => {
  await dashboard?.stop()
  await provider?.close()
})

const readModels = async () => {
  const settings = await dashboard.call('GET', `/auth/v1/projects/${stage.projectId}/settings`)
  return [settings['provider_model'], settings['draft_provider_model']]
}

test('a model is found, drafted, discarded and made live; a viewer only reads', async () => {
  const path = `/app/projects/${stage.projectId}/models`
  await dashboard.visit(path, async screen => {
    await screen.waitForText('No provider keys')
    await screen.expectAccessible()
    const keys = `/auth/v1/tenants/${stage.tenantId}/providers/openai`
    await dashboard.call('PUT', keys, { api_key: 'sk-a-key-that-is-long-enough' })
    await screen.open(path)
    await screen.waitForText('openai/gpt-4o-mini')
    expect(await screen.text()).not.toContain('openai/gpt-4o-2024-08-06')
    await screen.fill('Search', 'gpt-4o-2024-08-06')
    await screen.waitForText('openai/gpt-4o-2024-08-06')
    for (const hostile of hostileTexts) {
      await screen.fill('Search', hostile)
      await screen.waitForText('No model found')
    }
    await screen.fill('Search', 'GPT-4o-mini vision')
    await screen.waitForText('openai/gpt-4o-mini')
    const row = await screen.page.$eval('tbody tr', one => (one as HTMLElement).innerText)
    expect(row).toMatch(/128,000[\s\S]*\$0\.15[\s\S]*\$0\.60/)
    await screen.expectAccessible()
    await screen.click('Use as draft: openai/gpt-4o-mini')
    await screen.waitForText('is the draft model.')
    expect(await readModels()).toEqual([null, 'openai/gpt-4o-mini'])
    await screen.click('Discard the draft model')
    await screen.waitForText('None: choose one below')
    expect(await readModels()).toEqual([null, null])
    await screen.click('Use as draft: openai/gpt-4o-mini')
    await screen.click('Deploy the draft model')
    await screen.waitForText('in place of the default model of the installation')
    await screen.expectAccessible()
    await screen.click('Cancel')
    expect(await readModels()).toEqual([null, 'openai/gpt-4o-mini'])
    await screen.click('Deploy the draft model')
    await screen.submitDialog()
    await screen.waitForText('The model is live.')
    expect(await readModels()).toEqual(['openai/gpt-4o-mini', null])
  })
  const viewer = await createViewer(dashboard, stage.tenantId)
  await dashboard.visit(
    path,
    async screen => {
      await screen.waitForText('models. Prices are')
      const names = await screen.page.$$eval('main td button', buttons => buttons.map(button => button.textContent))
      expect(names.filter(name => !name?.startsWith('Show all'))).toEqual([])
    },
    viewer,
  )
})
