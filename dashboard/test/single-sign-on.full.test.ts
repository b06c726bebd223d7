// Single sign-on as people see it: the guided test of an issuer, the sign-in by work email, stepping up at the issuer,
// linking, and failures.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedIssuer, startIssuer } from '../../server/test/support/simulated/scripted-issuer.ts'
import { makeWorld, type World } from '../../server/test/support/worlds.ts'
import { type Dashboard, hostileTexts, type Screen, startDashboard } from './support/dashboard.ts'

let world: World
let issuer: ScriptedIssuer
let dashboard: Dashboard
let tenantId: string
beforeAll(async () => {
  world = await makeWorld('sqlite', { own: true })
  issuer = await startIssuer()
  dashboard = await startDashboard({
    ...world.env,
    OUTBOUND_ALLOW: issuer.host,
    OIDC_ISSUER: issuer.url,
    OIDC_CLIENT_ID: issuer.client.client_id,
    OIDC_CLIENT_SECRET: issuer.client.client_secret,
  })
  tenantId = (await dashboard.call('POST', '/auth/v1/tenants', { name: 'Acme' }))['id'] ?? ''
})
afterAll(async () => {
  await dashboard?.stop()
  await issuer?.stop()
  await world?.end()
})

async function signInByEmail(screen: Screen, email: string): Promise<void> {
  await screen.waitForText('Work email')
  await screen.fill('Work email', email)
  await screen.click('Continue')
}

test('an owner tests an issuer, sees what is wrong, and sets it up', async () => {
  await dashboard.visit(`/app/tenants/${tenantId}/single-sign-on`, async screen => {
    await screen.waitForText('/auth/v1/sso/callback')
    await screen.fill('Issuer', `${issuer.url}/wrong`)
    await screen.click('Test')
    await screen.waitForText('A sign-in would fail')
    await screen.waitForText('There is no discovery document below this address')
    await screen.expectAccessible()
    await screen.fill('Issuer', issuer.url)
    await screen.fill('Client id', issuer.client.client_id)
    await screen.fill('Client secret', 'not the secret')
    await screen.click('Test')
    await screen.waitForText('The issuer rejects the client (invalid_client)')
    await screen.fill('Client secret', issuer.client.client_secret)
    await screen.click('Test')
    await screen.waitForText('The test found nothing that stops a sign-in.')
    await screen.fill('Email domains', 'acme.example')
    await screen.fill('Role claim (optional)', 'groups')
    await screen.fill('Roles by values of the claim', 'admins')
    await screen.click('Set up')
    await screen.waitForText('must have a line such as llm-admins')
    await screen.fill('Roles by values of the claim', `admins = owner\n${hostileTexts[0]} = member`)
    await screen.click('Set up')
    await screen.waitForText('The single sign-on is saved.')
    await screen.waitForText('Remove the single sign-on')
    await screen.expectAccessible()
    expect(await screen.page.content()).not.toContain(issuer.client.client_secret)
  })
  expect(await dashboard.call('GET', `/auth/v1/tenants/${tenantId}/sso`)).toMatchObject({
    domains: ['acme.example'],
    role_claim: 'groups',
    role_map: { admins: 'owner', [hostileTexts[0] ?? '']: 'member' },
  })
})

test('a person signs in by work email, at the address that was asked for', async () => {
  issuer.person = { sub: 'ann', email: 'ann@acme.example', groups: ['admins'] }
  const path = `/app/tenants/${tenantId}/members`
  await dashboard.visit(
    path,
    async screen => {
      await screen.waitForText('Sign in')
      await screen.expectAccessible()
      await signInByEmail(screen, 'ann@acme.example')
      await screen.waitForText('Invite a member')
      expect(screen.path()).toBe(path)
      await screen.waitForText('ann@acme.example')
    },
    { isSignedIn: false },
  )
})

test('what needs a recent sign-in leads to the identity provider and back, and asks for no password', async () => {
  issuer.person = { sub: 'ann', email: 'ann@acme.example', groups: ['admins'] }
  const path = `/app/tenants/${tenantId}/settings`
  const rule = 'Require a second factor of all members'
  await dashboard.visit(
    path,
    async screen => {
      await signInByEmail(screen, 'ann@acme.example')
      await screen.waitForText(rule)
      await world.query('update sessions set authenticated_at = ?', [Date.now() - 11 * 60_000])
      await screen.click(rule, 'checkbox')
      await screen.click('Save')
      await screen.waitForText('Confirm that it is you')
      await screen.waitForText('Sign in again with single sign-on')
      expect(await screen.text()).not.toContain('Confirm with the password')
      await screen.expectAccessible()
      await screen.click('Sign in again with single sign-on')
      await screen.page.waitForSelector('dialog', { hidden: true })
      await screen.waitForPath(path)
      expect(issuer.asked.get('prompt')).toBe('login')
      await screen.click(rule, 'checkbox')
      await screen.click('Save')
      await screen.waitForText('The rules for signing in are saved.')
      await screen.open('/app/account')
      await screen.waitForText('by your company’s single sign-on')
      await screen.expectAccessible()
    },
    { isSignedIn: false },
  )
  // The owner of the other tests has no second factor.
  await world.query('update tenants set require_second_factor = 0 where id = ?', [tenantId])
})

test('an account with the email is linked by its own password', async () => {
  const { invite_url: url = '' } = await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/members`, {
    email: 'bob@acme.example',
    role: 'viewer',
  })
  const token = new URL(url).hash.slice('#token='.length)
  const password = 'the own password of bob'
  await dashboard.call('POST', '/auth/v1/invitations/accept', { token, password })
  issuer.person = { sub: 'bob', email: 'bob@acme.example' }
  await dashboard.visit(
    '/app',
    async screen => {
      await signInByEmail(screen, 'bob@acme.example')
      await screen.waitForText('Link your account')
      await screen.waitForText('Acme')
      await screen.expectAccessible()
      await screen.fill('Password of bob@acme.example', password)
      await screen.click('Sign in')
      await screen.click('Link and sign in')
      await screen.waitForPath(`/app/tenants/${tenantId}/projects`)
    },
    { isSignedIn: false },
  )
})

test('the installation’s own issuer needs no email, and a failure says what to do', async () => {
  issuer.person = { sub: 'owner', email: 'owner@example.com', email_verified: true }
  await dashboard.visit(
    '/app/account',
    async screen => {
      await screen.click('Sign in with single sign-on')
      await screen.waitForText('You are signed in as owner@example.com')
    },
    { isSignedIn: false },
  )
  issuer.person = { sub: 'nobody', email: 'nobody@example.com', email_verified: true }
  await dashboard.visit(
    '/app',
    async screen => {
      await signInByEmail(screen, 'nobody@example.com')
      await screen.waitForText('You have no account yet')
      await screen.expectAccessible()
      await screen.click('Back to the sign-in', 'link')
      await screen.waitForText('Work email')
    },
    { isSignedIn: false },
  )
})
