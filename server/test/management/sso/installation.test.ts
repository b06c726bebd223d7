// The installation's own issuer, whose word the operator trusts for every account.
import { beforeAll, expect, it } from 'vitest'
import { describeEachBackend } from '../../support/management-harness.ts'
import { expectOk } from '../requests.ts'
import { currentUser, type SignOnStage, startSignOn } from './sign-on-stage.ts'

describeEachBackend('single sign-on of the installation', start => {
  let stage: SignOnStage

  beforeAll(async () => {
    stage = await startSignOn(start, issuer => ({
      OIDC_ISSUER: issuer.url,
      OIDC_CLIENT_ID: issuer.client.client_id,
      OIDC_CLIENT_SECRET: issuer.client.client_secret,
      OIDC_ALLOWED_DOMAINS: 'example.com,corp.example',
      OIDC_OPERATOR_CLAIM: 'groups=admins',
    }))
  })

  it('opens the account with the verified email, and its tenants', async () => {
    const { plane, issuer, openBrowser } = stage
    expect(expectOk(await plane.call('GET', '/auth/v1/sso'))).toEqual({ installation: true })
    const { id } = await plane.makeTenant()
    const person = await plane.makePerson({ tenantId: id, role: 'member' })
    issuer.person = { sub: 'ursula', email: person.email, email_verified: true }
    const browser = openBrowser()
    expect(await browser.signOn('')).toMatchObject({ path: '/app/', problem: null })
    expect(await currentUser(browser)).toMatchObject({ id: person.id, tenants: [{ id, role: 'member' }] })
    // Whoever chose the password before the email was proven loses it.
    const login = await plane.call('POST', '/auth/v1/sessions', { body: person })
    expect(login.status).toBe(401)
    // It is the account's own sign-in.
    expectOk(await browser.call('GET', '/auth/v1/users/current/sessions'))
  })

  it('makes accounts of the allowed domains, and lets nobody else in', async () => {
    const { issuer, openBrowser } = stage
    const problemOf = async (claims: object) => {
      issuer.person = { sub: 'victor', ...claims }
      return (await openBrowser().signOn('')).problem
    }
    expect(await problemOf({ email: 'victor@elsewhere.example', email_verified: true })).toBe('sso_domain')
    expect(await problemOf({ email: 'victor@corp.example' })).toBe('sso_email_unverified')
    expect(await problemOf({ email: 'victor@corp.example', email_verified: false })).toBe('sso_email_unverified')
    expect(await problemOf({})).toBe('sso_email_missing')
    expect(await problemOf({ email: 'victor@corp.example', xms_edov: true })).toBe(null)
  })

  it('knows a person by their subject once they signed in', async () => {
    const { issuer, openBrowser } = stage
    const browser = openBrowser()
    issuer.person = { sub: 'walter', email: 'walter@corp.example', email_verified: true }
    await browser.signOn('')
    const first = await currentUser(browser)
    issuer.person = { sub: 'walter', email: 'walter.new@corp.example', email_verified: false }
    await browser.signOn('')
    expect(await currentUser(browser)).toEqual(first)
    // Whoever has the email next does not get the account.
    issuer.person = { sub: 'walter-2', email: 'walter@corp.example', email_verified: true }
    expect(await openBrowser().signOn('')).toMatchObject({ problem: 'sso_link_required', session: undefined })
  })

  it('makes operators by the claim, until a sign-in without it', async () => {
    const { issuer, openBrowser } = stage
    const statusAs = async (groups: unknown) => {
      issuer.person = { sub: 'xenia', email: 'xenia@corp.example', email_verified: true, groups }
      const browser = openBrowser()
      await browser.signOn('')
      return (await browser.call('GET', '/v1/admin/operators')).status
    }
    expect(await statusAs(['staff'])).toBe(401)
    expect(await statusAs(['staff', 'admins'])).toBe(200)
    expect(await statusAs('adminsx')).toBe(401)
    expect(await statusAs('admins')).toBe(200)
    expect(await statusAs([])).toBe(401)
  })

  it('leaves people of a tenant’s domain to that tenant', async () => {
    const { otherIssuer, makeTenant, openBrowser } = stage
    const { id, domain } = await makeTenant({}, otherIssuer)
    otherIssuer.person = { sub: 'yann', email: `yann@${domain}` }
    const browser = openBrowser()
    await browser.signOn(`email=yann@${domain}`)
    expect((await currentUser(browser)).tenants).toMatchObject([{ id }])
  })
})
