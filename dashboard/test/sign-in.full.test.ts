// Signing in and out, deep links, invitations, resets, and a session that expires in the middle of a task.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, hostileTexts, type Screen, startDashboard } from './support/dashboard.ts'
import { expireSessionAt } from './support/expire-session.ts'

const email = 'owner@example.com'
const password = 'correct horse battery staple'

/** The browser shows the page again, which reads what is older than a second. */
const showAgain = (screen: Screen) =>
  screen.page.evaluate("setTimeout(() => window.dispatchEvent(new Event('visibilitychange')), 1100)")

let dashboard: Dashboard
let tenantId: string
beforeAll(async () => {
  dashboard = await startDashboard()
  tenantId = (await dashboard.call('POST', '/auth/v1/tenants', { name: 'Acme <b>' }))['id'] ?? ''
})
afterAll(() => dashboard?.stop())

const listProjects = () =>
  dashboard.call<{ id: string; name: string }[]>('GET', `/auth/v1/tenants/${tenantId}/projects`)

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
      await screen.clickOn('summary ::-p-text(owner@example.com)')
      await screen.click('Sign out')
      await screen.waitForText('No password yet, or forgot it?')
    },
    { isSignedIn: false },
  )
})

test('an expired session in the middle of a task asks for the password over the page, and nothing typed is lost', async () => {
  const path = `/app/tenants/${tenantId}/projects`
  await dashboard.visit(path, async screen => {
    await screen.click('New project')
    await screen.fill('Name', hostileTexts[0] ?? '')
    await screen.page.deleteCookie({ name: 'sallyport', domain: 'localhost' })
    await showAgain(screen)
    await screen.waitForText('Your session has expired')
    await screen.click('Not now')
    expect(await screen.valueOf('Name')).toBe(hostileTexts[0])
    await screen.click('Create project')
    await screen.waitForText('Your session has expired')
    await screen.expectAccessible()
    await screen.fill('Password', 'not this one, surely')
    await screen.click('Sign in')
    await screen.waitForText('Invalid email or password')
    // Escape leaves the dialog: the form says why nothing was saved, and still has what was typed.
    await screen.page.keyboard.press('Escape')
    await screen.waitForText('Bearer token required')
    expect(await screen.valueOf('Name')).toBe(hostileTexts[0])
    await screen.click('Create project')
    await screen.waitForText('Your session has expired')
    await screen.fill('Password', password)
    await screen.click('Sign in')
    // The request that waited is sent again.
    await screen.page.waitForSelector('h1 ::-p-text(<img)')
    const projects = await listProjects()
    expect(projects.map(({ name }) => name)).toEqual([hostileTexts[0]])
  })
})

test('signing out works after the session has ended, too', async () => {
  await dashboard.visit(`/app/tenants/${tenantId}/projects`, async screen => {
    await screen.waitForText('New project')
    await expireSessionAt(screen, request => request.method() === 'DELETE')
    await screen.clickOn('summary ::-p-text(owner@example.com)')
    await screen.click('Sign out')
    await screen.waitForText('No password yet, or forgot it?')
  })
})

test('an invitation is accepted once, by the link that the owner was given', async () => {
  const invited = await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/members`, {
    email: 'new@example.com',
    role: 'viewer',
  })
  const link = new URL(invited['invite_url'] ?? '')
  const path = link.pathname + link.hash
  await dashboard.visit(
    path,
    async screen => {
      // The secret leaves the address as soon as it is read.
      expect(screen.page.url()).toBe(`${dashboard.origin}/invite`)
      await screen.expectAccessible()
      await screen.fill('Password', 'short')
      await screen.click('Accept')
      await screen.waitForText('Password must be at least 12 characters')
      await screen.fill('Password', 'a password of my own')
      await screen.click('Accept')
      // The only project of the only tenant.
      const [project] = await listProjects()
      await screen.waitForPath(`/app/projects/${project?.id}`)
      await screen.open(`/app/tenants/${tenantId}/projects`)
      await screen.waitForText('Host names')
      // A viewer reads.
      expect(await screen.page.$$eval('main button', buttons => buttons.length)).toBe(0)
    },
    { isSignedIn: false },
  )
  await dashboard.visit(
    path,
    async screen => {
      await screen.fill('Password', 'a password of my own')
      await screen.click('Accept')
      await screen.waitForText('This link was used already')
    },
    { isSignedIn: false },
  )
})

test('a reset link sets a new password and signs in; an unknown one says so', async () => {
  await dashboard.visit(
    '/reset?token=unknown',
    async screen => {
      for (const hostile of hostileTexts) {
        await screen.fill('New password', hostile.padEnd(12, '.'))
        await screen.click('Save')
        await screen.waitForText('This link was used already')
      }
      await screen.expectAccessible()
    },
    { isSignedIn: false },
  )
  const members = await dashboard.call<{ id: string; email: string }[]>('GET', `/auth/v1/tenants/${tenantId}/members`)
  const guest = members.find(member => member.email === 'new@example.com')
  const made = await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/members/${guest?.id}/reset-link`)
  const link = new URL(made['reset_url'] ?? '')
  await dashboard.visit(
    link.pathname + link.hash,
    async screen => {
      await screen.fill('New password', 'a password after the reset')
      await screen.click('Save')
      await screen.waitForPath(`/app/projects/${(await listProjects())[0]?.id}`)
    },
    { isSignedIn: false },
  )
  expect(await dashboard.openSession('new@example.com', 'a password after the reset')).toMatch(/^sess_/)
})

test('/device shows what asks to be signed in, and signs it in once somebody approves', async () => {
  const asked = await dashboard.call('POST', '/auth/v1/device/code', { client_name: 'sallyport on <b>build-7' })
  const page = new URL(asked['verification_uri_complete'] ?? '')
  await dashboard.visit(page.pathname + page.hash, async screen => {
    expect(await screen.valueOf('Code')).toBe(asked['user_code'])
    await screen.expectAccessible()
    await screen.click('Continue')
    await screen.waitForText('sallyport on <b>build-7')
    await screen.expectAccessible()
    await screen.click('Approve')
    await screen.waitForText('The program is signed in')
  })
  const body = { device_code: asked['device_code'] }
  expect(await dashboard.call('POST', '/auth/v1/device/token', body)).toMatchObject({ token_type: 'Bearer' })
})

test('/upgrade says what the pro plan adds, and an unknown address leads back', async () => {
  await dashboard.visit(
    '/upgrade',
    async screen => {
      await screen.waitForText('This needs the pro plan')
      await screen.expectAccessible()
    },
    { isSignedIn: false },
  )
  await dashboard.visit('/app/nothing/here', async screen => {
    await screen.waitForText('Page not found')
    await screen.expectAccessible()
    await screen.click('Go to the start page', 'link')
    await screen.waitForPath(`/app/projects/${(await listProjects())[0]?.id}`)
  })
})

test('a declined dialog does not come back for a screen that reads on a timer', async () => {
  const project = await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/projects`, { name: 'Live' })
  await dashboard.visit(`/app/projects/${project['id']}/general`, async screen => {
    await screen.waitForText('inside your network')
    await screen.page.deleteCookie({ name: 'sallyport', domain: 'localhost' })
    await screen.waitForText('Your session has expired')
    await screen.click('Not now')
    const reads = [1, 2].map(() => screen.page.waitForResponse(response => response.status() === 401))
    await Promise.all(reads)
    await screen.page.waitForResponse(response => response.status() === 401)
    expect(await screen.page.$('dialog')).toBeNull()
    await screen.fill('Name', 'Live again')
    await screen.click('Rename')
    await screen.waitForText('Your session has expired')
  })
})

test('another user who signs in in another tab gets a page of their own', async () => {
  await dashboard.visit('/app/account', async screen => {
    await screen.waitForText(`You are signed in as ${email}`)
    await screen.page.evaluate(
      async body => {
        const headers = { 'content-type': 'application/json' }
        await fetch('/auth/v1/sessions?cookie=true', { method: 'POST', headers, body })
      },
      JSON.stringify({ email: 'new@example.com', password: 'a password after the reset' }),
    )
    await Promise.all([screen.page.waitForNavigation(), showAgain(screen)])
    await screen.waitForText('You are signed in as new@example.com')
    expect(await screen.page.content()).not.toContain(email)
  })
})

test('a project that does not exist is a page that was not found, whatever its screen', async () => {
  await dashboard.visit('/app/projects/00000000-0000-4000-8000-000000000000/usage', async screen => {
    await screen.waitForText('Page not found')
    expect(await screen.page.$$eval('main button', buttons => buttons.length)).toBe(0)
  })
})
