// The user's own account: a new password, and open sessions.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, hostileTexts, startDashboard } from '../support/dashboard.ts'

const email = 'owner@example.com'
const password = 'correct horse battery staple'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.stop())

test('open sessions are listed, and ended one by one or all at once', async () => {
  await dashboard.openSession()
  await dashboard.visit('/app/account', async screen => {
    await screen.waitForText('This session')
    await screen.expectAccessible()
    const countOpen = () => screen.page.$$eval('tbody tr', rows => rows.length)
    const before = await countOpen()
    expect(before).toBeGreaterThanOrEqual(2)
    await screen.click('End')
    await screen.waitForText('The session is ended.')
    expect(await countOpen()).toBe(before - 1)
    await dashboard.openSession()
    await dashboard.openSession()
    await screen.open('/app/account')
    await screen.waitForText('This session')
    await screen.click('Sign out everywhere else')
    await screen.waitForText('You stay signed in here.')
    await screen.expectAccessible()
    await screen.submitDialog()
    await screen.waitForText('All your other sessions ended.')
    expect(await countOpen()).toBe(1)
  })
})

test('signing out everywhere ends all sessions, also the own one', async () => {
  const elsewhere = await dashboard.openSession()
  const listSessions = (session: string) =>
    dashboard.call<unknown[]>('GET', '/auth/v1/users/current/sessions', undefined, session)
  await dashboard.visit('/app/account', async screen => {
    await screen.waitForText('This session')
    expect((await listSessions(elsewhere)).length).toBeGreaterThanOrEqual(2)
    await screen.click('Sign out everywhere')
    await screen.waitForText('this one too')
    await screen.expectAccessible()
    await screen.submitDialog()
    await screen.waitForPath('/app')
    await screen.page.waitForSelector('h1 ::-p-text(Sign in)')
    await screen.open('/app/account')
    await screen.page.waitForSelector('h1 ::-p-text(Sign in)')
  })
  await expect(listSessions(elsewhere)).rejects.toThrow('401')
  expect(await listSessions(await dashboard.openSession())).toHaveLength(1)
})

test('a new password needs the current one; the API’s message stands at its field', async () => {
  const next = 'another horse battery staple'
  await dashboard.visit('/app/account', async screen => {
    const change = async (current: string, chosen: string, repeated = chosen): Promise<void> => {
      await screen.fill('Current password', current)
      await screen.fill('New password', chosen)
      await screen.fill('New password again', repeated)
      await screen.click('Change password')
    }
    for (const hostile of hostileTexts) {
      await change(hostile, hostile.padEnd(12, '.'))
      await screen.waitForText('Invalid current password')
    }
    // A wrong password is no expired session.
    expect(await screen.text()).not.toContain('Your session has expired')
    await change(password, 'short')
    await screen.waitForText(' must be at least 12 characters')
    expect(await screen.page.$eval('[aria-invalid]', field => field.getAttribute('name'))).toBe('new_password')
    expect(await screen.page.evaluate('document.activeElement.name')).toBe('new_password')
    await screen.expectAccessible()
    await change(password, next, 'something else, at least')
    await screen.waitForText('must be the same as the new password')
    await change(password, next)
    await screen.waitForText('Your password is changed.')
    await screen.page.waitForFunction('document.querySelector("[name=new_password]").value === ""')
  })
  expect(await dashboard.openSession(email, next)).toMatch(/^sess_/)
})
