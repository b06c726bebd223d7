// The audit of a tenant: filtered, with what an act changed, exported, and its chain checked.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, hostileTexts, startDashboard } from '../support/dashboard.ts'

let dashboard: Dashboard
let tenantId: string
beforeAll(async () => {
  dashboard = await startDashboard()
  tenantId = (await dashboard.call('POST', '/auth/v1/tenants', { name: 'Acme' }))['id'] ?? ''
  await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/projects`, { name: hostileTexts[0] })
  await dashboard.call('PATCH', `/auth/v1/tenants/${tenantId}`, { name: 'Acme of the north' })
})
afterAll(() => dashboard?.stop())

test('an owner filters the audit, sees what was changed, and verifies the chain', async () => {
  await dashboard.visit(`/app/tenants/${tenantId}/audit`, async screen => {
    await screen.waitForText('tenant.rename')
    await screen.waitForText('project.create')
    await screen.expectAccessible()
    await screen.page.locator('main details summary').click()
    await screen.waitForText('Acme of the north')
    await screen.click('Verify chain')
    await screen.waitForText('The chain is whole: 2 entries')
    await screen.expectAccessible()
    await screen.fill('Action', 'tenant.rename')
    await screen.click('Show')
    await screen.page.waitForFunction(
      () => !document.querySelector('main table')?.textContent.includes('project.create'),
    )
    expect(new URL(screen.page.url()).searchParams.get('action')).toBe('tenant.rename')
    for (const hostile of hostileTexts) {
      await screen.fill('Actor’s id', hostile)
      await screen.click('Show')
      await screen.waitForText('No such entries')
    }
    await screen.expectAccessible()
  })
})
