// Accounts that exist before: an issuer's word never opens one of them, their own sign-in links it.
import { beforeAll, expect, it } from 'vitest'
import { describeEachBackend, type Person } from '../../support/management-harness.ts'
import { expectOk } from '../requests.ts'
import { type Browser, currentUser, type SignOnStage, startSignOn } from './sign-on-stage.ts'

describeEachBackend('linking an identity', start => {
  let stage: SignOnStage

  beforeAll(async () => {
    stage = await startSignOn(start)
  })

  /** A tenant whose issuer asserts the email of a person who has an account elsewhere. */
  async function assertEmailOf(person: Person, sub: string) {
    const { plane, issuer, makeTenant, openBrowser } = stage
    const { id, domain } = await makeTenant()
    // The account's email lies in the tenant's domain.
    const email = `${sub}@${domain}`
    await plane.query('update users set email = ? where id = ?', [email, person.id])
    issuer.person = { sub, email, email_verified: true }
    const browser = openBrowser()
    expect(await browser.signOn(`tenant=${id}&return_to=/app/after`)).toEqual({
      path: '/sso?problem=sso_link_required',
      problem: 'sso_link_required',
      session: undefined,
    })
    return { id, email, browser }
  }

  const signIn = async (browser: Browser, email: string, password: string) =>
    expectOk(await browser.call('POST', '/auth/v1/sessions?cookie=true', { email, password }))

  it('asks for the own sign-in of the account with the email', async () => {
    const { plane, openBrowser } = stage
    const person = await plane.makePerson()
    const { id, email, browser } = await assertEmailOf(person, 'helen')
    expect(expectOk(await browser.call('GET', '/auth/v1/sso/link'))).toMatchObject({ email, tenant: { id } })
    expect(await browser.call('POST', '/auth/v1/sso/link')).toMatchObject({ status: 401 })
    expect((await plane.query('select id from sso_identities where user_id = ?', [person.id])).length).toBe(0)

    await signIn(browser, email, person.password)
    const { continue_url } = expectOk<{ continue_url: string }>(await browser.call('POST', '/auth/v1/sso/link'))
    const query = continue_url.slice('/auth/v1/sso/start?'.length)
    expect(await browser.signOn(query)).toMatchObject({ path: '/app/after', problem: null })
    expect(await currentUser(browser)).toMatchObject({ id: person.id, tenants: [{ id, role: 'viewer' }] })
    const audit = await plane.call('GET', `/auth/v1/tenants/${id}/audit?action=sso.link`, {
      session: plane.owner.session,
    })
    expect(audit.body).toMatchObject({ data: [{ actor: { id: person.id }, after: { subject: 'helen' } }] })
    // Once linked, the next browser needs nothing else.
    const next = openBrowser()
    expect(await next.signOn(`tenant=${id}`)).toMatchObject({ problem: null })
    expect((await currentUser(next)).id).toBe(person.id)
  })

  it('refuses another account than the one with the email, and keeps the link for the right one', async () => {
    const { plane } = stage
    const [person, other] = [await plane.makePerson(), await plane.makePerson()]
    const { email, browser } = await assertEmailOf(person, 'ivan')
    await signIn(browser, other.email, other.password)
    expect(await browser.call('POST', '/auth/v1/sso/link')).toMatchObject({ body: { code: 'sso_other_account' } })
    await signIn(browser, email, person.password)
    expectOk(await browser.call('POST', '/auth/v1/sso/link'))
    expect(await browser.call('POST', '/auth/v1/sso/link')).toMatchObject({ body: { code: 'sso_no_link' } })
  })

  it('belongs to the browser that brought the identity', async () => {
    const { plane, openBrowser } = stage
    const person = await plane.makePerson()
    const { email } = await assertEmailOf(person, 'judy')
    const elsewhere = openBrowser()
    await signIn(elsewhere, email, person.password)
    expect(await elsewhere.call('GET', '/auth/v1/sso/link')).toMatchObject({ status: 404 })
    expect(await elsewhere.call('POST', '/auth/v1/sso/link')).toMatchObject({ body: { code: 'sso_no_link' } })
  })

  it('refuses emails that the issuer did not verify, lacks, or that lie outside of the domains', async () => {
    const { issuer, makeTenant, openBrowser } = stage
    const { id, domain } = await makeTenant()
    const problemOf = async (claims: object) => {
      issuer.person = { sub: 'kim', ...claims }
      return (await openBrowser().signOn(`tenant=${id}`)).problem
    }
    expect(await problemOf({ email: `kim@${domain}`, email_verified: false })).toBe('sso_email_unverified')
    expect(await problemOf({ email: `kim@${domain}`, xms_edov: false })).toBe('sso_email_unverified')
    expect(await problemOf({})).toBe('sso_email_missing')
    expect(await problemOf({ email: 7 })).toBe('sso_email_missing')
    expect(await problemOf({ email: 'kim@elsewhere.example' })).toBe('sso_domain')
    expect(await problemOf({ email: `kim@elsewhere.example@${domain}` })).toBe('sso_email_missing')
    expect(await problemOf({ email: `kim@sub.${domain}` })).toBe('sso_domain')
    expect(await problemOf({ email: `kim@${domain}` })).toBe(null)
  })

  it('lets only one tenant have a domain', async () => {
    const { plane, issuer, makeTenant } = stage
    const { domain } = await makeTenant()
    const { id } = await plane.makeTenant()
    const body = { issuer: issuer.url, ...issuer.client, domains: ['free.example', domain], default_role: 'viewer' }
    const answer = await plane.call('PUT', `/auth/v1/tenants/${id}/sso`, { session: plane.owner.session, body })
    expect(answer).toMatchObject({ status: 409, body: { error: `Another tenant signs in people of ${domain}` } })
    expect((await plane.query('select 1 as n from sso_domains where domain = ?', ['free.example'])).length).toBe(0)
  })
})
