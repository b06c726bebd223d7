// Members of a tenant: invited by a link that is shown once, given another role, removed; and what the others may do.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, hostileTexts, type Screen, startDashboard } from '../support/dashboard.ts'

interface Person {
  id: string
  email: string
  role: string
}

const password = 'a password of my own'

let dashboard: Dashboard
let tenantId: string
beforeAll(async () => {
  dashboard = await startDashboard()
  tenantId = (await dashboard.call('POST', '/auth/v1/tenants', { name: 'Acme' }))['id'] ?? ''
})
afterAll(() => dashboard?.stop())

const listMembers = () => dashboard.call<Person[]>('GET', `/auth/v1/tenants/${tenantId}/members`)
const listInvitations = () => dashboard.call<Person[]>('GET', `/auth/v1/tenants/${tenantId}/invitations`)
const roleOf = async (email: string) => (await listMembers()).find(member => member.email === email)?.role

async function accept(path: 'invitations' | 'password-resets', link: string, chosen = password): Promise<void> {
  const token = new URL(link).hash.slice('#token='.length)
  await dashboard.call('POST', `/auth/v1/${path}/accept`, { token, password: chosen })
}

const readLink = async (screen: Screen): Promise<string> => {
  await screen.waitForText('only once')
  return await screen.page.$eval('dialog pre', pre => pre.textContent ?? '')
}

async function invite(screen: Screen, email: string, role: string): Promise<string> {
  await screen.click('Invite a member')
  await screen.fill('Email', email)
  await screen.choose('Role', role)
  await screen.click('Create invitation')
  const link = await readLink(screen)
  // The test's installation has no BASE_URL.
  await screen.waitForText('It opens on this machine alone')
  await screen.page.keyboard.press('Escape')
  expect(await readLink(screen)).toBe(link)
  return link
}

async function copyWholeLink(screen: Screen): Promise<void> {
  const isWhole = await screen.page.$eval('dialog pre', pre => {
    const around = pre.parentElement
    return around !== null && around.scrollWidth <= around.clientWidth
  })
  expect(isWhole).toBe(true)
  await screen.click('Copy link')
  await screen.page.waitForFunction(() => /Copied|Selected/.test(document.body.innerText))
  await screen.click('I have copied the link')
}

test('an owner invites, withdraws, changes a role, resets a password and removes', async () => {
  await dashboard.visit(`/app/tenants/${tenantId}/members`, async screen => {
    await screen.waitForText('No open invitations')
    await screen.waitForText('The only owner')
    await screen.click('Invite a member')
    for (const hostile of hostileTexts) {
      await screen.fill('Email', hostile)
      await screen.click('Create invitation')
      await screen.page.waitForSelector('dialog [aria-invalid] ~ [role=alert]')
    }
    await screen.expectAccessible()
    await screen.click('Cancel')
    expect(await listInvitations()).toEqual([])

    await invite(screen, 'gone@example.com', 'owner')
    await screen.expectAccessible()
    await copyWholeLink(screen)
    await screen.click('Withdraw the invitation for gone@example.com')
    await screen.waitForText('stops working at once')
    await screen.submitDialog()
    await screen.waitForText('No open invitations')
    expect(await listInvitations()).toEqual([])

    const link = await invite(screen, 'new@example.com', 'viewer')
    await screen.click('I have copied the link')
    expect(await screen.page.content()).not.toContain(link)
    expect((await listInvitations()).map(({ email, role }) => [email, role])).toEqual([['new@example.com', 'viewer']])
    await accept('invitations', link)
    // As when the user comes back to the page.
    await screen.page.reload()
    await screen.click('Change role of new@example.com')
    await screen.choose('Role', 'owner')
    await screen.submitDialog()
    await screen.waitForText('is owner now')
    expect(await roleOf('new@example.com')).toBe('owner')
    await screen.click('Change role of new@example.com')
    await screen.choose('Role', 'member')
    await screen.waitForText('reset links of the tenant stop working')
    await screen.expectAccessible()
    await screen.submitDialog()
    await screen.waitForText('is member now')
    expect(await roleOf('new@example.com')).toBe('member')

    await screen.click('Reset link for new@example.com')
    await accept('password-resets', await readLink(screen), 'a password after the reset')
    await screen.click('I have copied the link')
    expect(await dashboard.openSession('new@example.com', 'a password after the reset')).toMatch(/^sess_/)
    await screen.click('Remove new@example.com')
    await screen.waitForText('API keys that they have seen keep working')
    await screen.expectAccessible()
    await screen.submitDialog()
    await screen.waitForText('is no longer a member')
    expect(await roleOf('new@example.com')).toBeUndefined()
    await screen.expectAccessible()
  })
})

test('a viewer sees the members, changes none, and may leave', async () => {
  const viewer = { email: 'viewer@example.com', password }
  const added = await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/members`, { ...viewer, role: 'viewer' })
  await accept('invitations', added['invite_url'] ?? '')
  await dashboard.visit(
    `/app/tenants/${tenantId}/members`,
    async screen => {
      await screen.waitForText('owner@example.com')
      const names = await screen.page.$$eval('main button', buttons => buttons.map(button => button.textContent))
      expect(names).toEqual(['Leave'])
      await screen.expectAccessible()
      await screen.click('Leave the tenant')
      await screen.waitForText('unless an owner adds you again')
      await screen.submitDialog()
      // The user belongs to no tenant any more.
      await screen.waitForPath('/app/start')
      expect(await roleOf(viewer.email)).toBeUndefined()
    },
    viewer,
  )
})

test('an expired invitation is marked, and repeated or withdrawn', async () => {
  const email = 'late@example.com'
  await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/members`, { email, role: 'viewer' })
  await dashboard.visit('/app/account', async screen => {
    // The clock of the page is eight days fast.
    await screen.page.evaluateOnNewDocument(() => {
      const now = Date.now.bind(Date)
      Date.now = () => now() + 8 * 86_400_000
    })
    await screen.open(`/app/tenants/${tenantId}/members`)
    await screen.waitForText('Expired')
    await screen.expectAccessible()
    const [first] = await listInvitations()
    await screen.click(`Invite again: ${email}`)
    expect(await readLink(screen)).toContain('/invite#token=')
    await screen.click('I have copied the link')
    const [second] = await listInvitations()
    expect(second).toMatchObject({ email, role: 'viewer' })
    expect(second?.id).not.toBe(first?.id)
    await screen.click(`Withdraw the invitation for ${email}`)
    await screen.waitForText('The expired invitation leaves the list')
    await screen.submitDialog()
    await expect.poll(listInvitations).toEqual([])
  })
})
