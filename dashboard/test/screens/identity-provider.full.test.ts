// The identity provider: set, changed and removed; why a token is rejected; and that a pasted token stays nowhere.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { externalClaims, keySetText, makeKey, makeToken } from '../../../server/test/crypto/token-kit.ts'
import { type KeySetServer, startKeySetServer } from '../../../server/test/support/simulated/key-set-server.ts'
import { type Dashboard, hostileTexts, startDashboard } from '../support/dashboard.ts'

const idpKey = makeKey('idp-1')
const issuer = 'https://idp.example.com/'
let server: KeySetServer
let dashboard: Dashboard
let tenantId: string
let projectId: string
let path: string
beforeAll(async () => {
  server = await startKeySetServer(keySetText(idpKey))
  dashboard = await startDashboard({ SYNC_INTERVAL: '1', OUTBOUND_ALLOW: new URL(server.url).host })
  tenantId = (await dashboard.call('POST', '/auth/v1/tenants', { name: 'Acme' }))['id'] ?? ''
  const project = await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/projects`, { name: 'Chat' })
  projectId = project['id'] ?? ''
  path = `/app/projects/${projectId}/identity-provider`
})
afterAll(async () => {
  await dashboard?.stop()
  await server?.stop()
})

const readProvider = () => dashboard.call('GET', `/auth/v1/projects/${projectId}/identity-provider`)

function makeExternal(claims: object = {}): string {
  const now = Math.floor(Date.now() / 1000)
  const times = { iat: now - 60, exp: now + 3600 }
  return makeToken(
    idpKey,
    { alg: 'RS256', kid: idpKey.kid },
    externalClaims({ iss: issuer, aud: 'chat', sub: 'alice', ...times, ...claims }),
  )
}

test('a provider is set, its keys are followed, and a change and a removal say first what they break', async () => {
  await dashboard.visit(path, async screen => {
    await screen.waitForText('There is none: the project accepts minted tokens only.')
    await screen.choose('Hints for', 'supabase')
    await screen.waitForText('https://{project}.supabase.co/auth/v1')
    await screen.fill('Issuer (iss)', hostileTexts[0] ?? '')
    await screen.fill('Audience (aud)', hostileTexts[1] ?? '')
    await screen.fill('JWKS URL', 'http://10.0.0.1/keys')
    await screen.fill('User claim', hostileTexts[2] ?? '')
    await screen.click('Accept its tokens')
    await screen.waitForText(' must be the name of a claim')
    expect(await screen.page.$eval('[aria-invalid]', field => field.getAttribute('name'))).toBe('user_id_claim')
    await screen.fill('User claim', 'sub')
    await screen.click('Accept its tokens')
    await screen.waitForText(' must be https on a public address')
    expect(await screen.page.$eval('[aria-invalid]', field => field.getAttribute('name'))).toBe('jwks_url')
    await screen.expectAccessible()
    await screen.fill('JWKS URL', server.url)
    await screen.click('Accept its tokens')
    await screen.waitForText('Keys fetched')
    expect(await readProvider()).toMatchObject({ issuer: hostileTexts[0], audience: hostileTexts[1], tier_claim: null })

    await screen.fill('Issuer (iss)', issuer)
    await screen.fill('Audience (aud)', 'chat')
    await screen.click('Change')
    await screen.waitForText('end users whose tokens do not match the new values are rejected')
    await screen.expectAccessible()
    expect(await readProvider()).toMatchObject({ issuer: hostileTexts[0] })
    await screen.submitDialog()
    // The message of the first time may still be shown.
    await expect.poll(readProvider).toMatchObject({ issuer, audience: 'chat', jwks_url: server.url })
    await screen.waitForText('The identity provider is live.')
  })
})

test('a token is inspected, its claims are shown as text, and it stays nowhere', async () => {
  await dashboard.visit(path, async screen => {
    await screen.waitForText('Keys fetched')
    const inspect = async (token: string): Promise<void> => {
      await screen.fill('Token', token)
      await screen.click('Inspect')
    }
    const accepted = makeExternal()
    await inspect(accepted)
    await screen.waitForText('The project accepts the token.')
    await inspect(makeExternal({ iss: hostileTexts[0], sub: hostileTexts[2] }))
    await screen.waitForText('The issuer (iss) is not the one expected.')
    const cells = await screen.page.$$eval('[aria-label=Result] tbody tr', rows => rows.map(row => row.innerText))
    expect(cells[0]).toBe(`Issuer (iss)\t${hostileTexts[0]}\t${issuer}`)
    await screen.clickOn('[aria-label=Result] summary')
    await screen.expectAccessible()
    await screen.page.setOfflineMode(true)
    await inspect(accepted)
    await screen.waitForText('Sallyport cannot be reached')
    expect(await screen.text()).toContain('The result appears here.')
    await screen.page.setOfflineMode(false)
    screen.forgetErrors()
    // A time that no calendar has.
    await inspect(makeExternal({ exp: 9e99 }))
    await screen.waitForText('Expires (exp)\t9e+99')
    for (const hostile of hostileTexts) {
      await inspect(hostile)
      await screen.waitForText('The token does not have three parts.')
    }
    await inspect(accepted)
    await screen.waitForText('The project accepts the token.')
    const kept = await screen.page.evaluate(
      'JSON.stringify([location.href, localStorage, sessionStorage, history.state, document.cookie])',
    )
    const [, claims = ''] = accepted.split('.')
    expect(kept).not.toContain(claims)
    expect(dashboard.product.stdout() + dashboard.product.stderr()).not.toContain(claims)
    await screen.page.reload()
    await screen.waitForText('Keys fetched')
    expect(await screen.valueOf('Token')).toBe('')

    await screen.click('Remove the provider')
    await screen.waitForText('every request with a token of the provider is rejected')
    await screen.submitDialog()
    await screen.waitForText('There is none: the project accepts minted tokens only.')
    await expect(readProvider()).rejects.toThrow('404')
  })
})

test('a viewer reads the provider and changes nothing', async () => {
  const body = { issuer, jwks_url: server.url, audience: 'chat' }
  await dashboard.call('PUT', `/auth/v1/projects/${projectId}/identity-provider`, body)
  const viewer = { email: 'viewer@example.com', password: 'a password of a viewer' }
  const invited = await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/members`, {
    email: viewer.email,
    role: 'viewer',
  })
  const token = new URL(invited['invite_url'] ?? '').hash.slice('#token='.length)
  await dashboard.call('POST', '/auth/v1/invitations/accept', { token, password: viewer.password })
  await dashboard.visit(
    path,
    async screen => {
      await screen.waitForText('Ask an owner of the tenant for a role that does')
      expect(await screen.valueOf('Issuer (iss)')).toBe(issuer)
      expect(await screen.page.$$eval('main button', buttons => buttons.length)).toBe(0)
      expect(await screen.page.$$eval('main :is(input, select, textarea):enabled', fields => fields.length)).toBe(0)
    },
    viewer,
  )
})
