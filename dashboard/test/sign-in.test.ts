// Signing in and out, deep links, invitations, resets, and a session that expires in the middle of a task.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, hostileTexts, startDashboard } from './support/dashboard.ts'

const email = 'owner@example.com'
const password = 'correct horse battery staple'

let dashboard: Dashboard
let tenantId: string
beforeAll(async () => {
  dashboard = await startDashboard()
  tenantId = (await dashboard.call('POST', '/auth/v1/tenants', { name: 'Acme <b>' }))['id'] ?? ''
})
afterAll(() => dashboard?.stop())

test('a deep link leads to its screen after the sign-in; a wrong password does not', async () => {
  const path = `/app/tenants/${tenantId}/projects`
  await dashboard.visit(
    path,
    async screen => {
      await screen.waitForText('Sign in')
      await screen.expectAccessible()
      for (const hostile of hostileTexts) {
        await screen.fill('Password', hostile)
        await screen.fill('Email', 'somebody@example.com')
        await screen.click('Sign in')
        await screen.waitForText('Invalid email or password')
      }
      await screen.fill('Email', email)
      await screen.fill('Password', password)
      await screen.click('Sign in')
      await screen.waitForText('No projects yet')
      expect(screen.path()).toBe(path)
      expect(await screen.text()).toContain('Acme <b>')
      expect(await screen.page.evaluate('localStorage.length')).toBe(0)
      await screen.page.click('summary ::-p-text(owner@example.com)')
      await screen.click('Sign out')
      await screen.waitForText('The first start created a user')
    },
    { isSignedIn: false },
  )
})
