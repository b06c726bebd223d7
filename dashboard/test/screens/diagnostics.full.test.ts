// Diagnostics: rejected origins and tokens appear as they happen, and a rejected origin is allowed in the draft.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { externalClaims, makeKey, makeToken } from '../../../server/test/crypto/token-kit.ts'
import { type Dashboard, hostileTexts, startDashboard } from '../support/dashboard.ts'

const origin = 'https://page.example.com'
let dashboard: Dashboard
let tenantId: string
let projectId: string
let slug: string
beforeAll(async () => {
  dashboard = await startDashboard()
  tenantId = (await dashboard.call('POST', '/auth/v1/tenants', { name: 'Acme' }))['id'] ?? ''
  const project = await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/projects`, { name: 'Chat' })
  projectId = project['id'] ?? ''
  slug = project['slug'] ?? ''
})
afterAll(() => dashboard?.stop())

const askModels = (headers: Record<string, string>) =>
  fetch(`${dashboard.product.baseUrl}/p/${slug}/v1/models`, { headers })
const readOrigins = async () =>
  (await dashboard.call<{ cors_origins: string[] }>('GET', `/auth/v1/projects/${projectId}/settings`)).cors_origins

test('what is rejected appears with its cause, and an origin is allowed in the draft after a warning', async () => {
  await dashboard.visit(`/app/projects/${projectId}/diagnostics`, async screen => {
    await screen.waitForText('No origin, token or host was rejected in the last 24 hours')
    await screen.expectAccessible()
    await askModels({ origin })
    const kid = (hostileTexts[0] ?? '').replaceAll(' ', '_')
    const token = makeToken(makeKey('other'), { alg: 'RS256', typ: 'JWT', kid }, externalClaims())
    expect((await askModels({ authorization: `Bearer ${token}` })).status).toBe(401)
    await screen.waitForText('Origin that is not allowed')
    await screen.waitForText('Token with an unknown key (kid)')
    expect(await screen.text()).toContain(kid)
    await screen.expectAccessible()

    const before = await readOrigins()
    await screen.click(`Allow ${origin}`)
    await screen.waitForText('anybody can send any origin')
    await screen.expectAccessible()
    expect(await readOrigins()).toEqual(before)
    // What somebody else adds meanwhile is kept.
    const others = [...before, 'https://added.example.com']
    await dashboard.call('PUT', `/auth/v1/projects/${projectId}/settings`, { cors_origins: others })
    await screen.submitDialog()
    await screen.waitForText('Allowed in the draft.')
    expect(await readOrigins()).toEqual([...others, origin])
    await screen.click('Check its keys, or inspect a token', 'link')
    await screen.waitForPath(`/app/projects/${projectId}/identity-provider`)
  })
})

test('a viewer reads what was rejected, and is told whom to ask', async () => {
  await askModels({ origin: 'https://other.example.com' })
  const viewer = { email: 'viewer@example.com', password: 'a password of a viewer' }
  const body = { email: viewer.email, role: 'viewer' }
  const invited = await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/members`, body)
  const token = new URL(invited['invite_url'] ?? '').hash.slice('#token='.length)
  await dashboard.call('POST', '/auth/v1/invitations/accept', { token, password: viewer.password })
  await dashboard.visit(
    `/app/projects/${projectId}/diagnostics`,
    async screen => {
      await screen.waitForText('ask a member of the tenant to allow it')
      expect(await screen.page.$$eval('main button', buttons => buttons.length)).toBe(0)
    },
    viewer,
  )
})
