// Webhooks: created with a secret that is shown once, tested, rotated and deleted; their deliveries, and the events of
// the tenant.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedUpstream, startUpstream } from '../../../server/test/support/simulated/scripted-upstream.ts'
import { type Dashboard, hostileTexts, startDashboard } from '../support/dashboard.ts'
import { adminSecret, createStage, createViewer, type Stage } from '../support/stage.ts'

let receiver: ScriptedUpstream
let dashboard: Dashboard
let stage: Stage
let path: string
beforeAll(async () => {
  receiver = await startUpstream()
  receiver.on('*', { status: 204, body: '' })
  dashboard = await startDashboard({ ADMIN_SECRET: adminSecret, OUTBOUND_ALLOW: receiver.host, SYNC_INTERVAL: '1' })
  stage = await createStage(dashboard, hostileTexts[0])
  path = `/app/tenants/${stage.tenantId}/webhooks`
})
afterAll(async () => {
  await dashboard?.stop()
  await receiver?.close()
})

interface Webhook {
  id: string
  url: string
  types: string[] | null
  previous_secret_until: string | null
}

const list = () => dashboard.call<Webhook[]>('GET', `/auth/v1/tenants/${stage.tenantId}/webhooks`)
const readSecret = (text: string): string => /whsec_[\w+/=]+/.exec(text)?.[0] ?? ''

test('a webhook is created with a secret that is shown once, tested, rotated and deleted', async () => {
  const url = `${receiver.url}/hooks`
  await dashboard.visit(path, async screen => {
    await screen.waitForText('No webhooks')
    await screen.expectAccessible()
    await screen.click('New webhook')
    await screen.fill('URL', 'https://127.0.0.1/hooks')
    await screen.click('Create webhook')
    await screen.waitForText('The address is not allowed')
    await screen.fill('URL', url)
    await screen.choose('Events', 'some')
    await screen.click('Create webhook')
    await screen.waitForText('Choose at least one event')
    await screen.expectAccessible()
    await screen.click('Settings deployed', 'checkbox')
    await screen.click('API key revoked', 'checkbox')
    await screen.click('Create webhook')
    await screen.waitForText('whsec_')
    const secret = readSecret(await screen.text())
    await screen.expectAccessible()
    await screen.page.keyboard.press('Escape')
    expect(readSecret(await screen.text())).toBe(secret)
    await screen.click('I have stored the secret')
    await screen.waitForText('API key revoked')
    expect(await screen.page.content()).not.toContain('whsec_')
    expect(await list()).toMatchObject([{ url, types: ['settings_deployed', 'api_key_revoked'] }])

    await screen.click(`Send a test to ${url}`)
    await screen.waitForText('A test is on its way.')
    await screen.click(url, 'link')
    await screen.waitForText('Delivered')
    await screen.waitForText('Status 204')
    expect(JSON.parse(receiver.requests.at(-1)?.body ?? '{}')).toMatchObject({ type: 'webhook_test' })
    await screen.expectAccessible()

    await screen.click('All webhooks', 'link')
    await screen.click(`Rotate secret of ${url}`)
    await screen.waitForText('For 24 hours')
    await screen.click('Rotate secret')
    await screen.waitForText('whsec_')
    const rotated = readSecret(await screen.text())
    expect(rotated).not.toBe(secret)
    await screen.click('I have stored the secret')
    await screen.waitForText('signs until')
    expect((await list())[0]?.previous_secret_until).not.toBeNull()

    await screen.click(`Delete ${url}`)
    await screen.waitForText('gets no further events')
    await screen.expectAccessible()
    await screen.click('Delete webhook')
    await screen.waitForText('No webhooks')
  })
  expect(await list()).toEqual([])
})

test('deliveries are listed a page at a time, and follow what is sent', async () => {
  const webhooks = `/auth/v1/tenants/${stage.tenantId}/webhooks`
  const { id = '' } = await dashboard.call('POST', webhooks, { url: `${receiver.url}/pages` })
  // More than one page holds.
  for (let count = 0; count < 51; count += 1) {
    await dashboard.call('POST', `/auth/v1/projects/${stage.projectId}/settings/deploy`)
  }
  await dashboard.visit(`${path}/${id}`, async screen => {
    await screen.waitForText('Settings deployed')
    const count = () => screen.page.$$eval('tbody tr', rows => rows.length)
    expect(await count()).toBe(50)
    await screen.click('Next page')
    await screen.page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
    await screen.click('First page')
    await screen.page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 50)
    await screen.click(`Send a test to ${receiver.url}/pages`)
    await screen.page.waitForFunction(() => document.querySelector('tbody tr')?.textContent?.includes('Test') ?? false)
  })
  await dashboard.call('DELETE', `${webhooks}/${id}`)
})

test('events name their project; a viewer reads events and webhooks', async () => {
  const viewer = await createViewer(dashboard, stage.tenantId)
  const webhooks = `/auth/v1/tenants/${stage.tenantId}/webhooks`
  const { id = '' } = await dashboard.call('POST', webhooks, { url: `${receiver.url}/viewer` })
  await dashboard.visit(
    `/app/tenants/${stage.tenantId}/events`,
    async screen => {
      await screen.waitForText('Member joined')
      await screen.choose('What', 'project_created')
      await screen.page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
      await screen.waitForText(hostileTexts[0] ?? '')
      await screen.waitForText(stage.slug)
      expect(new URL(screen.page.url()).search).toBe('?type=project_created')
      await screen.expectAccessible()
      await screen.open(`/app/tenants/${stage.tenantId}/events?type=nothing`)
      await screen.waitForText('Member joined')

      await screen.open(path)
      await screen.waitForText(`${receiver.url}/viewer`)
      expect(await screen.page.$$('main button')).toEqual([])
      await screen.open(`${path}/${id}`)
      await screen.waitForText('No deliveries')
      expect(await screen.page.$$('main button')).toEqual([])
    },
    viewer,
  )
})
