// What must not cross: other origins, other tenants. And what must arrive all the same: over a slow network, by
// keyboard.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PredefinedNetworkConditions } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, type Screen, startDashboard } from './support/dashboard.ts'
import { adminSecret, createViewer, setPlan } from './support/stage.ts'

let dashboard: Dashboard
let tenantId: string
let other: Server
let otherOrigin: string
beforeAll(async () => {
  dashboard = await startDashboard({ ADMIN_SECRET: adminSecret })
  tenantId = (await dashboard.call('POST', '/auth/v1/tenants', { name: 'Acme' }))['id'] ?? ''
  await setPlan(dashboard, tenantId, 'pro')
  other = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Other</title>')
  }).listen(0, '127.0.0.1')
  await once(other, 'listening')
  // The same site as the dashboard: the cookie goes along, so the header and CORS alone must protect.
  otherOrigin = `http://localhost:${(other.address() as AddressInfo).port}`
})
afterAll(async () => {
  await dashboard?.stop()
  other?.close()
})

const countProjects = async () =>
  (await dashboard.call<unknown[]>('GET', `/auth/v1/tenants/${tenantId}/projects`)).length

test('a page of another origin can neither write nor read with the user’s session, nor frame the dashboard', async () => {
  await dashboard.visit(`/app/tenants/${tenantId}/projects`, async screen => {
    await screen.waitForText('No projects yet')
    const url = `${dashboard.origin}/auth/v1/tenants/${tenantId}/projects`
    await screen.page.goto(otherOrigin)
    const outcomes = await screen.page.evaluate(async target => {
      const attempt = async (init: RequestInit): Promise<string> => {
        try {
          const response = await fetch(target, { credentials: 'include', ...init })
          return `${response.type} ${response.status}`
        } catch {
          return 'rejected by the browser'
        }
      }
      const post = { method: 'POST', body: JSON.stringify({ name: 'Forged' }) }
      const json = { 'content-type': 'application/json' }
      return [
        await attempt({ ...post, mode: 'no-cors' }),
        await attempt({ ...post, headers: json }),
        await attempt({ ...post, headers: { ...json, 'x-sallyport': '1' } }),
        await attempt({}),
      ]
    }, url)
    // The first is sent, and answered 403 or 415: its outcome cannot be read.
    expect(outcomes).toEqual(['opaque 0', ...Array<string>(3).fill('rejected by the browser')])
    await Promise.all([
      screen.page.waitForNavigation(),
      screen.page.evaluate(target => {
        const form = document.body.appendChild(document.createElement('form'))
        Object.assign(form, { method: 'POST', action: target, enctype: 'text/plain' })
        const field = form.appendChild(document.createElement('input'))
        Object.assign(field, { name: '{"name":"Forged","x":"', value: '"}' })
        form.submit()
      }, url),
    ])
    expect(await countProjects()).toBe(0)
    await screen.page.goto(otherOrigin)
    await screen.page.evaluate(async target => {
      const frame = document.createElement('iframe')
      const loaded = new Promise(resolve => frame.addEventListener('load', resolve))
      frame.src = target
      document.body.append(frame)
      await loaded
    }, dashboard.origin)
    const frame = screen.page.frames().find(one => one !== screen.page.mainFrame())
    expect(await frame?.$('#dashboard')).toBeNull()
    screen.forgetErrors()
  })
})

test('a user of another tenant sees the API’s message in place of a project', async () => {
  const project = await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/projects`, { name: 'Secret name' })
  const guest = { email: 'guest@example.com', password: 'a password of a guest' }
  const { id } = await dashboard.call('POST', '/auth/v1/tenants', { name: 'Guests' })
  const invited = await dashboard.call('POST', `/auth/v1/tenants/${id}/members`, { email: guest.email, role: 'owner' })
  const token = new URL(invited['invite_url'] ?? '').hash.slice('#token='.length)
  await dashboard.call('POST', '/auth/v1/invitations/accept', { token, password: guest.password })
  await dashboard.visit(
    `/app/projects/${project['id']}`,
    async screen => {
      await screen.waitForText('Forbidden')
      await screen.expectAccessible()
      await screen.open(`/app/tenants/${tenantId}/projects`)
      await screen.waitForText('Forbidden')
      expect(await screen.page.content()).not.toMatch(/Secret name|Acme/)
    },
    guest,
  )
})

test('over a slow network the page says that it loads, and a button that it works', async () => {
  await dashboard.visit(`/app/tenants/${tenantId}/projects`, async screen => {
    await screen.waitForText('Projects')
    await screen.page.emulateNetworkConditions(PredefinedNetworkConditions['Slow 3G'])
    await screen.page.reload({ waitUntil: 'domcontentloaded' })
    await screen.waitForText('Loading')
    await screen.waitForText('Secret name')
    await screen.click('New project')
    await screen.fill('Name', 'Slow')
    await screen.click('Create project')
    await screen.page.waitForSelector('dialog button[aria-busy=true][aria-disabled=true]')
    await screen.page.waitForSelector('h1 ::-p-text(Slow)')
  })
})

test('the keyboard alone creates a project, and the focus comes back from a dialog', async () => {
  await dashboard.visit(`/app/tenants/${tenantId}/projects`, async screen => {
    await screen.waitForText('Secret name')
    const { keyboard } = screen.page
    const focused = () => screen.page.evaluate('document.activeElement.textContent').then(String)
    await keyboard.press('Tab')
    expect(await focused()).toBe('Skip to the content')
    await keyboard.press('Enter')
    await keyboard.press('Tab')
    expect(await focused()).toBe('New project')
    await keyboard.press('Enter')
    await screen.page.waitForSelector('dialog input:focus')
    await keyboard.press('Escape')
    await screen.page.waitForFunction('document.querySelector("dialog") === null')
    expect(await focused()).toBe('New project')
    await keyboard.press('Enter')
    await screen.page.waitForSelector('dialog input:focus')
    await keyboard.type('By keyboard')
    await keyboard.press('Enter')
    await screen.page.waitForSelector('h1:focus ::-p-text(By keyboard)')
    expect(await screen.page.title()).toBe('By keyboard · Sallyport')
  })
})

/** Chooses another project in the bar, then its API keys. */
async function switchToKeysOf(screen: Screen, name: string): Promise<void> {
  await screen.clickOn('header li:nth-of-type(2) summary')
  await screen.clickOn(`header a ::-p-text(${name})`)
  await screen.page.waitForSelector(`h1 ::-p-text(${name})`)
  await screen.click('API keys', 'link')
  await screen.page.waitForSelector('h1 ::-p-text(API keys)')
}

test('a screen of another project begins anew: nothing that was open stays', async () => {
  const createProject = (name: string) => dashboard.call('POST', `/auth/v1/tenants/${tenantId}/projects`, { name })
  const first = `/app/projects/${(await createProject('First'))['id']}/api-keys`
  await createProject('Second')
  await dashboard.visit(first, async screen => {
    await screen.waitForText('No API keys')
    await switchToKeysOf(screen, 'Second')
    await screen.click('New API key')
    await screen.fill('Name', 'for the second project')
    await screen.page.evaluate('history.go(-2)')
    await screen.waitForPath(first)
    await screen.page.waitForFunction('document.querySelector("dialog") === null')
    await screen.page.waitForSelector('h1:focus ::-p-text(API keys)')
  })
})

test('an action that fails after its dialog was left says so, and the dialog that is open then stays', async () => {
  const { id } = await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/projects`, { name: 'Kept' })
  await dashboard.visit(`/app/projects/${id}/general`, async screen => {
    const { promise, resolve: fail } = Promise.withResolvers<void>()
    await screen.page.setRequestInterception(true)
    screen.page.on('request', sent => {
      if (sent.url().endsWith('/suspend')) void promise.then(() => sent.abort())
      else void sent.continue()
    })
    await screen.click('Suspend project')
    await screen.submitDialog()
    await screen.page.waitForSelector('dialog button[aria-busy=true]')
    await screen.click('Cancel')
    await screen.click('Suspend project')
    fail()
    await screen.waitForText('Sallyport cannot be reached')
    expect(await screen.page.$$eval('dialog', dialogs => dialogs.length)).toBe(1)
    screen.forgetErrors()
  })
})

test('a computer without a network reads from an installation of its own', async () => {
  await dashboard.visit(`/app/tenants/${tenantId}/projects`, async screen => {
    await screen.waitForText('Kept')
    await screen.page.evaluate("window.dispatchEvent(new Event('offline'))")
    await screen.click('Members', 'link')
    await screen.waitForText('owner@example.com')
    await screen.page.waitForSelector('table caption ::-p-text(Members)')
  })
})

test('a page stops showing a project when its user is removed from the tenant', async () => {
  const viewer = await createViewer(dashboard, tenantId)
  const { id } = await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/projects`, { name: 'Not for all' })
  const members = await dashboard.call<{ id: string; email: string }[]>('GET', `/auth/v1/tenants/${tenantId}/members`)
  const userId = members.find(({ email }) => email === viewer.email)?.id
  await dashboard.visit(
    `/app/projects/${id}`,
    async screen => {
      await screen.page.waitForSelector('h1 ::-p-text(Not for all)')
      await dashboard.call('DELETE', `/auth/v1/tenants/${tenantId}/members/${userId}`)
      await screen.page.waitForSelector('main [role=alert] ::-p-text(Forbidden)')
      // A part of the page may be refused before the whole is.
      await expect.poll(() => screen.page.$eval('main', main => main.textContent)).not.toContain('Not for all')
    },
    viewer,
  )
})
