// End users of a project: searched, read with usage and limits, blocked, unblocked, their tokens revoked, and erased.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SimulatedProvider, startSimulatedProvider } from '../../../server/src/demo/simulated-provider.ts'
import { type Dashboard, hostileTexts, startDashboard } from '../support/dashboard.ts'

/** Contains a slash, which must not be in a path. */
const hostileUid = hostileTexts[1] ?? ''
/** One page of the API has 50. */
const others = Array.from({ length: 50 }, (_, index) => `user-${String(index).padStart(2, '0')}`)

let provider: SimulatedProvider
let dashboard: Dashboard
let tenantId: string
let projectId: string
let slug: string
let apiKey: string
beforeAll(async () => {
  provider = await startSimulatedProvider()
  dashboard = await startDashboard({
    OPENAI_BASE_URL: provider.baseUrl,
    PLATFORM_OPENAI_API_KEY: 'sk-simulated-key-of-this-test',
    PLATFORM_DEFAULT_MODEL: 'openai/gpt-4o-mini',
  })
  const { call } = dashboard
  tenantId = (await call('POST', '/auth/v1/tenants', { name: 'Acme' }))['id'] ?? ''
  const project = await call('POST', `/auth/v1/tenants/${tenantId}/projects`, { name: 'Chat' })
  projectId = project['id'] ?? ''
  slug = project['slug'] ?? ''
  apiKey = (await call('POST', `/auth/v1/projects/${projectId}/api-keys`, { name: 'backend' }))['api_key'] ?? ''
})
afterAll(async () => {
  await dashboard?.stop()
  await provider?.close()
})

const pathOf = (uid: string) => `/auth/v1/projects/${projectId}/users/~${Buffer.from(uid).toString('base64url')}`
const readUser = (uid: string) => dashboard.call<Record<string, unknown>>('GET', pathOf(uid))

const post = (path: string, token: string, body: object, headers: Record<string, string> = {}) =>
  fetch(dashboard.product.baseUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const mint = (userId: string, key = apiKey) => post('/auth/v1/auth/mint', key, { user_id: userId })
async function mintToken(userId: string, key = apiKey): Promise<string> {
  return ((await (await mint(userId, key)).json()) as { access_token: string }).access_token
}
const chat = async (token: string) =>
  (await post(`/p/${slug}/v1/chat/completions`, token, { messages: [{ role: 'user', content: 'Hello' }] })).status

test('a user is found, blocked with a reason, unblocked, their tokens revoked, and erased', async () => {
  const token = await mintToken(hostileUid)
  expect(await chat(token)).toBe(200)
  const settings = `/auth/v1/projects/${projectId}/settings`
  await dashboard.call('PUT', settings, { user_rpm_limit: 1234 })
  await dashboard.call('POST', `${settings}/deploy`)
  // The limits that are live are shown, not those of the draft.
  await dashboard.call('PUT', settings, { user_rpm_limit: 4321 })
  await dashboard.visit(`/app/projects/${projectId}/end-users`, async screen => {
    for (const hostile of hostileTexts) {
      await screen.fill('Search users by id', hostile)
      await screen.click('Search')
      await screen.page.waitForFunction(q => new URLSearchParams(location.search).get('q') === q, {}, hostile)
      await screen.waitForText(hostile === hostileUid ? 'Not restricted' : 'Nobody found')
    }
    await screen.fill('Search users by id', hostileUid.slice(3, 9).toUpperCase())
    await screen.click('Search')
    await screen.waitForText('Requests today')
    await screen.expectAccessible()
    await screen.click(hostileUid, 'link')
    await expect.poll(() => screen.text(), { timeout: 60_000 }).toMatch(/Requests today\s+1\s/)
    await screen.waitForText('Each end user: at most 1,234 requests a minute')
    await screen.waitForText('in 30 days')
    expect(await screen.page.$eval('h1', heading => heading.textContent)).toBe(hostileUid)
    await screen.expectAccessible()

    await screen.click('Block user')
    await screen.fill('Reason', 'x'.repeat(501))
    await screen.submitDialog()
    await screen.waitForText(' must be a string (max 500 chars)')
    await screen.fill('Reason', hostileTexts[0] ?? '')
    await screen.submitDialog()
    await screen.waitForText('Blocked since')
    expect(await screen.text()).toContain(hostileTexts[0])
    expect([await chat(token), (await mint(hostileUid)).status]).toEqual([403, 403])
    await screen.click('Unblock user')
    await screen.waitForText('The user is unblocked.')
    expect(await chat(token)).toBe(200)

    await screen.click('Revoke tokens')
    await screen.waitForText('streams in flight end within two seconds')
    await screen.submitDialog()
    await screen.waitForText('are revoked.')
    expect(await chat(token)).toBe(401)
    expect(await chat(await mintToken(hostileUid))).toBe(200)

    await screen.click('Erase user')
    await screen.waitForText('erased for good')
    expect(await screen.page.$eval('dialog button[type=submit]', button => button.hasAttribute('aria-disabled'))).toBe(
      true,
    )
    await screen.expectAccessible()
    await screen.fill(`Type ${hostileUid} to confirm`, hostileUid)
    await screen.submitDialog()
    await screen.waitForPath(`/app/projects/${projectId}/end-users`)
    await expect.poll(async () => (await readUser(hostileUid))['requests_today'], { timeout: 60_000 }).toBe(0)
  })
})

test('the list has pages, and somebody who was never seen can be blocked', async () => {
  for (const uid of others) await dashboard.call('PUT', `${pathOf(uid)}/block`, {})
  await dashboard.visit(`/app/projects/${projectId}/end-users?q=user-`, async screen => {
    await screen.waitForText('user-49')
    expect(await screen.page.$('nav[aria-label=Pages]')).toBeNull()
    await dashboard.call('PUT', `${pathOf('user-last')}/block`, {})
    await screen.page.reload()
    await screen.click('Next page')
    await screen.waitForText('user-last')
    expect(await screen.text()).not.toContain('user-49')
    await screen.click('First page')
    await screen.waitForText('user-49')
    await screen.fill('Search users by id', 'nobody-yet')
    await screen.click('Search')
    await screen.click('Open the user with exactly this id', 'link')
    await screen.waitForText('This end user has received no answer yet.')
    await screen.click('Block user')
    await screen.submitDialog()
    await screen.waitForText('Reason: none given')
    expect((await mint('nobody-yet')).status).toBe(403)
  })
})

test('conversations are read and deleted with a token of an admin key, and with no other', async () => {
  const { call } = dashboard
  const uid = hostileTexts[0] ?? ''
  await call('PUT', `/auth/v1/projects/${projectId}/settings`, { memory_enabled: true })
  await call('POST', `/auth/v1/projects/${projectId}/settings/deploy`)
  const token = await mintToken(uid)
  const question = { messages: [{ role: 'user', content: hostileUid }] }
  const threadId = { 'x-thread-id': 'thread-1' }
  expect((await post(`/p/${slug}/v1/chat/completions`, token, question, threadId)).status).toBe(200)
  const body = { name: 'support', role: 'admin' }
  const adminKey = await call('POST', `/auth/v1/projects/${projectId}/api-keys`, body)
  const adminToken = await mintToken('support-desk', adminKey['api_key'])
  await dashboard.visit(`/app/projects/${projectId}/end-users/user?uid=${encodeURIComponent(uid)}`, async screen => {
    for (const wrong of [...hostileTexts, await mintToken('somebody-else'), adminKey['api_key'] ?? '']) {
      await screen.fill('Token', wrong)
      await screen.click('Read conversations')
      await screen.page.waitForFunction(
        () =>
          !document.querySelector('[aria-busy=true]') &&
          [...document.querySelectorAll('form [role=alert]')].some(({ textContent }) => textContent),
      )
    }
    await screen.fill('Token', adminToken)
    await screen.click('Read conversations')
    await screen.click(`Read ${hostileUid}`)
    await screen.page.waitForSelector('dialog li + li')
    expect(await screen.page.$eval('dialog li p + p', message => message.textContent)).toBe(hostileUid)
    await screen.expectAccessible()
    await screen.click('Close')
    await screen.click(`Delete ${hostileUid}`)
    await screen.waitForText('is deleted for good')
    await screen.submitDialog()
    await screen.waitForText('No conversations')
    expect(await call('GET', `/p/${slug}/v1/threads?uid=${encodeURIComponent(uid)}`, undefined, adminToken)).toEqual({
      data: [],
      next_cursor: null,
    })
  })
})

test('a viewer reads end users and changes nothing', async () => {
  const viewer = { email: 'viewer@example.com', password: 'a password of a viewer' }
  const members = `/auth/v1/tenants/${tenantId}/members`
  const added = await dashboard.call('POST', members, { email: viewer.email, role: 'viewer' })
  const token = new URL(added['invite_url'] ?? '').hash.slice('#token='.length)
  await dashboard.call('POST', '/auth/v1/invitations/accept', { token, password: viewer.password })
  await dashboard.visit(
    `/app/projects/${projectId}/end-users/user?uid=user-01`,
    async screen => {
      await screen.waitForText('Your role does not let you block and erase end users')
      const names = await screen.page.$$eval('main button', buttons => buttons.map(button => button.textContent))
      expect(names).toEqual(['Read conversations'])
    },
    viewer,
  )
})

test('a user whose requests were all rejected is listed apart, with the way to the reasons', async () => {
  const uid = 'refused'
  const budget = { budgets: [{ usd: 0.000001, period: 'day' }] }
  await dashboard.call('PUT', `${pathOf(uid)}/budgets`, budget)
  const token = await mintToken(uid)
  // A budget is live within a second.
  await expect.poll(() => chat(token), { timeout: 30_000 }).toBe(429)
  await dashboard.visit(`/app/projects/${projectId}/end-users`, async screen => {
    await screen.waitForText('Without an answer in the last 24 hours')
    await screen.expectAccessible()
    await screen.click(uid, 'link')
    await screen.waitForText('in 24 hours. See why')
    await screen.expectAccessible()
    await screen.click('See why', 'link')
    await screen.waitForText('429 insufficient_quota')
  })
})
