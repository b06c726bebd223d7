// Service accounts of a tenant: created with a key that is shown once, changed, rotated, deleted.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { permissionWords } from '../../src/screens/members/permission-words.ts'
import { type Dashboard, hostileTexts, type Screen, startDashboard } from '../support/dashboard.ts'

interface Account {
  id: string
  name: string
  permissions: string[]
  projects: string[] | null
  expires_at: string | null
}

let dashboard: Dashboard
let path: string
let tenantId: string
beforeAll(async () => {
  dashboard = await startDashboard()
  tenantId = (await dashboard.call('POST', '/auth/v1/tenants', { name: 'Acme' }))['id'] ?? ''
  await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/projects`, { name: 'Shop' })
  path = `/auth/v1/tenants/${tenantId}/service-accounts`
})
afterAll(() => dashboard?.stop())

const list = async () => (await dashboard.call<{ data: Account[] }>('GET', path)).data
const tick = (screen: Screen, label: string) => screen.click(label, 'checkbox')

async function readKey(screen: Screen): Promise<string> {
  await screen.waitForText('only once')
  const key = await screen.page.$eval('dialog pre', pre => pre.textContent ?? '')
  await screen.click('I have stored the key')
  return key
}

test('an owner creates, changes, rotates and deletes a service account', async () => {
  const [hostile = ''] = hostileTexts
  await dashboard.visit(`/app/tenants/${tenantId}/service-accounts`, async screen => {
    await screen.waitForText('No service accounts')
    await screen.click('New service account')
    await screen.fill('Name', hostile)
    await tick(screen, permissionWords['project:read'])
    await tick(screen, permissionWords['settings:write'])
    await tick(screen, 'Shop')
    await screen.choose('Expires', '30')
    await screen.expectAccessible()
    await screen.submitDialog()
    const key = await readKey(screen)
    expect(key).toMatch(/^svc_[\w-]{43}$/)
    expect(await screen.page.content()).not.toContain(key)
    expect(await list()).toMatchObject([
      { name: hostile, permissions: ['project:read', 'settings:write'], projects: [expect.any(String)] },
    ])
    await screen.expectAccessible()

    await screen.click(`Edit ${hostile}`)
    await screen.fill('Name', 'Pipeline')
    await tick(screen, 'Shop')
    await screen.submitDialog()
    await screen.waitForText('Pipeline')
    const [changed] = await list()
    expect(changed).toMatchObject({ name: 'Pipeline', projects: null, expires_at: expect.any(String) })

    await screen.click('Rotate Pipeline')
    await screen.submitDialog()
    expect(await readKey(screen)).not.toBe(key)

    await screen.click('Delete Pipeline')
    await screen.submitDialog()
    await screen.waitForText('The service account is deleted.')
    expect(await list()).toEqual([])
  })
})

test('a tablet shows accounts as cards: no column and no button is outside of the screen', async () => {
  const body = { name: 'Deploys of the shop in the night', permissions: ['project:read'], projects: null }
  await dashboard.call('POST', path, body)
  await dashboard.visit(`/app/tenants/${tenantId}/service-accounts`, async ({ page, waitForText }) => {
    await page.setViewport({ width: 834, height: 900 })
    await waitForText(body.name)
    const rightEdges = () =>
      page.$$eval('html, main td, main button', all =>
        all.map(one => Math.max(one.getBoundingClientRect().right, one.scrollWidth)),
      )
    await expect.poll(async () => Math.max(...(await rightEdges()))).toBeLessThanOrEqual(834)
  })
})
