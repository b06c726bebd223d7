// Projects: create, rename, suspend, reactivate, delete, as an owner; and what a viewer sees.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, hostileTexts, startDashboard } from '../support/dashboard.ts'

let dashboard: Dashboard
let tenantId: string
beforeAll(async () => {
  dashboard = await startDashboard()
  const tenant = await dashboard.call('POST', '/auth/v1/tenants', { name: hostileTexts[0] })
  tenantId = tenant['id'] ?? ''
})
afterAll(() => dashboard?.stop())

const listProjects = () =>
  dashboard.call<{ id: string; name: string; slug: string; status: string }[]>(
    'GET',
    `/auth/v1/tenants/${tenantId}/projects`,
  )

test('a project is created, its address shown, its host names followed until they are ready', async () => {
  await dashboard.visit(`/app/tenants/${tenantId}/projects`, async screen => {
    await screen.waitForText('No projects yet')
    expect(await screen.text()).toContain('Free plan: 0 of 3 active projects.')
    await screen.expectAccessible()
    await screen.click('New project')
    await screen.fill('Name', ' ')
    await screen.click('Create project')
    await screen.waitForText('Name ')
    expect(await screen.page.$eval('[aria-invalid]', field => field.getAttribute('name'))).toBe('name')
    await screen.fill('Name', 'Chat')
    await screen.click('Create project')
    await screen.waitForText('No requests in the last 24 hours')
    const [project] = await listProjects()
    expect(screen.path()).toBe(`/app/projects/${project?.id}`)
    expect(await screen.text()).toContain(`${dashboard.origin}/p/${project?.slug}/v1`)
    await screen.expectAccessible()
    await screen.click('General', 'link')
    await screen.waitForText('inside your network')
    // Provisioning is followed live, without a reload.
    await screen.waitForText('Ready')
    await screen.expectAccessible()
  })
})

test('names of any kind are shown as text, in the page, the bar and the list', async () => {
  const [project] = await listProjects()
  await dashboard.visit(`/app/projects/${project?.id}/general`, async screen => {
    const renames = '[type=submit]:not([aria-disabled]) ::-p-text(Rename)'
    await screen.page.waitForSelector('[type=submit][aria-disabled] ::-p-text(Rename)')
    for (const hostile of hostileTexts) {
      await screen.fill('Name', hostile)
      await screen.page.waitForSelector(renames)
      await screen.click('Rename')
      await screen.page.waitForFunction(name => document.querySelector('h1 + p bdi')?.textContent === name, {}, hostile)
      await screen.expectAccessible()
    }
    await screen.open(`/app/tenants/${tenantId}/projects`)
    await screen.waitForText('x'.repeat(50))
    await screen.expectAccessible()
  })
})

test('a suspended project is reactivated; a deletion needs the typed slug', async () => {
  const [project] = await listProjects()
  await dashboard.visit(`/app/projects/${project?.id}/general`, async screen => {
    const suspend = async (): Promise<void> => {
      await screen.click('Suspend project')
      await screen.waitForText('All its API keys are revoked for good')
      await screen.expectAccessible()
      await screen.submitDialog()
      await screen.waitForText('Suspended')
    }
    await suspend()
    expect((await listProjects())[0]?.status).toBe('suspended')
    await screen.click('Reactivate project')
    await screen.waitForText('Active')
    expect((await listProjects())[0]?.status).toBe('active')
    await suspend()
    await screen.click('Delete project')
    await screen.waitForText('erased for good')
    for (const hostile of hostileTexts) {
      await screen.fill(`Type ${project?.slug} to confirm`, hostile)
      expect(
        await screen.page.$eval('dialog button[type=submit]', button => button.hasAttribute('aria-disabled')),
      ).toBe(true)
    }
    await screen.expectAccessible()
    await screen.fill(`Type ${project?.slug} to confirm`, project?.slug ?? '')
    await screen.submitDialog()
    await screen.waitForText('No projects yet')
    expect(screen.path()).toBe(`/app/tenants/${tenantId}/projects`)
    expect(await listProjects()).toEqual([])
  })
})

test('a viewer reads a project and changes nothing', async () => {
  const project = await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/projects`, { name: 'Read me' })
  const viewer = { email: 'viewer@example.com', password: 'a password of a viewer' }
  const invited = await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/members`, {
    email: viewer.email,
    role: 'viewer',
  })
  const token = new URL(invited['invite_url'] ?? '').hash.slice('#token='.length)
  await dashboard.call('POST', '/auth/v1/invitations/accept', { token, password: viewer.password })
  await dashboard.visit(
    `/app/projects/${project['id']}`,
    async screen => {
      await screen.waitForText('Read me')
      const names = await screen.page.$$eval('main button', buttons => buttons.map(button => button.textContent))
      expect(names).toEqual(['Copy address'])
      await screen.open(`/app/projects/${project['id']}/first-steps`)
      await screen.waitForText('Ask an owner of the tenant for a role that does')
      await screen.open(`/app/projects/${project['id']}/api-keys`)
      await screen.waitForText('No API keys')
      expect(await screen.text()).not.toContain('New API key')
    },
    viewer,
  )
})
