// What must not cross: other origins, other tenants. And what must arrive all the same: over a slow network, by
// keyboard.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PredefinedNetworkConditions } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, startDashboard } from './support/dashboard.ts'

let dashboard: Dashboard
let tenantId: string
let other: Server
let otherOrigin: string
beforeAll(async () => {
  dashboard = await startDashboard()
  tenantId = (await dashboard.call('POST', '/auth/v1/tenants', { name: 'Acme' }))['id'] ?? ''
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
  const token = new URL(invited['invite_url'] ?? '').searchParams.get('token')
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
