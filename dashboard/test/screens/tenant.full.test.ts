// Settings of a tenant: the plan and its limits, renaming, the export as a file, and a deletion that needs the typed
// name.
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Dashboard, hostileTexts, startDashboard } from '../support/dashboard.ts'
import { expireSessionAt } from '../support/expire-session.ts'

let dashboard: Dashboard
let tenantId: string
beforeAll(async () => {
  dashboard = await startDashboard()
  tenantId = (await dashboard.call('POST', '/auth/v1/tenants', { name: 'Acme' }))['id'] ?? ''
})
afterAll(() => dashboard?.stop())

const readTenant = () => dashboard.call('GET', `/auth/v1/tenants/${tenantId}`)
const createProject = (name: string) => dashboard.call('POST', `/auth/v1/tenants/${tenantId}/projects`, { name })

test('the plan is shown with what is used of it, and says so once its limit is reached', async () => {
  await createProject('One')
  await dashboard.visit(`/app/tenants/${tenantId}/settings`, async screen => {
    await screen.waitForText('1 of 3')
    await screen.waitForText('Not on the free plan')
    expect(await screen.text()).not.toContain('Limit reached')
    await createProject('Two')
    await createProject('Three')
    await screen.page.reload()
    await screen.waitForText('Limit reached')
    await screen.waitForText('3 projects are active')
    await screen.page.waitForSelector('main button[aria-disabled] ::-p-text(Delete tenant)')
    await screen.expectAccessible()
  })
})

test('the tenant is renamed, exported to a file, and deleted after its name was typed', async () => {
  for (const { id } of await dashboard.call<{ id: string }[]>('GET', `/auth/v1/tenants/${tenantId}/projects`)) {
    await dashboard.call('POST', `/auth/v1/projects/${id}/suspend`)
  }
  await dashboard.visit(`/app/tenants/${tenantId}/settings`, async screen => {
    await screen.fill('Name', ' ')
    await screen.click('Rename')
    await screen.waitForText('Name is required')
    for (const hostile of hostileTexts) {
      await screen.fill('Name', hostile)
      await screen.click('Rename')
      await screen.page.waitForFunction(name => document.querySelector('h1 + p bdi')?.textContent === name, {}, hostile)
      expect((await readTenant())['name']).toBe(hostile)
    }
    await screen.expectAccessible()

    const downloadPath = mkdtempSync(join(dashboard.browser.folder, 'downloads-'))
    const browser = await screen.page.createCDPSession()
    await browser.send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath })
    await expireSessionAt(screen, request => request.url().endsWith('/export'))
    await screen.click('Export the tenant')
    await screen.waitForText('Your session has expired')
    await screen.fill('Password', 'correct horse battery staple')
    await screen.click('Sign in')
    const file = join(downloadPath, 'tenant.ndjson')
    await vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: 30_000 })
    const exported = readFileSync(file, 'utf8').trim().split('\n')
    const types = exported.map(line => (JSON.parse(line) as { type: string }).type)
    expect([types[0], types.filter(type => type === 'project').length]).toEqual(['tenant', 3])

    const name = hostileTexts.at(-1) ?? ''
    await screen.click('Delete tenant')
    await screen.waitForText('erased for good')
    const isDisabled = () =>
      screen.page.$eval('dialog button[type=submit]', button => button.hasAttribute('aria-disabled'))
    await screen.fill(`Type ${name} to confirm`, name.slice(1))
    expect(await isDisabled()).toBe(true)
    await screen.expectAccessible()
    await screen.fill(`Type ${name} to confirm`, name)
    expect(await isDisabled()).toBe(false)
    await screen.submitDialog()
    await screen.waitForPath('/app/start')
    await expect(readTenant()).rejects.toThrow('404')
  })
})

test('a member renames, a viewer only reads', async () => {
  tenantId = (await dashboard.call('POST', '/auth/v1/tenants', { name: 'Read me' }))['id'] ?? ''
  const seenBy = async (role: 'member' | 'viewer'): Promise<string[]> => {
    const person = { email: `${role}@example.com`, password: 'a password of my own' }
    const added = await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/members`, { ...person, role })
    const token = new URL(added['invite_url'] ?? '').hash.slice('#token='.length)
    await dashboard.call('POST', '/auth/v1/invitations/accept', { token, password: person.password })
    let names: string[] = []
    await dashboard.visit(
      `/app/tenants/${tenantId}/settings`,
      async screen => {
        await screen.waitForText('Only an owner can export and delete the tenant.')
        names = await screen.page.$$eval('main button', found => found.map(one => one.textContent))
      },
      person,
    )
    return names
  }
  expect(await seenBy('member')).toEqual(['Rename'])
  expect(await seenBy('viewer')).toEqual([])
})
