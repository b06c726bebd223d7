// Signing in through a tenant's issuer: who it is, what the session reaches, and which role it has.
import { beforeAll, expect, it } from 'vitest'
import { describeEachBackend } from '../../support/management-harness.ts'
import { type Product, startProduct } from '../../support/start-product.ts'
import { expectOk } from '../requests.ts'
import { currentUser, type SignOnStage, startSignOn } from './sign-on-stage.ts'

describeEachBackend('sign-in through a tenant’s issuer', (start, backend) => {
  let stage: SignOnStage
  let replica: Product | null = null

  beforeAll(async () => {
    stage = await startSignOn(start)
    if (backend === 'postgres') replica = await startProduct({ env: stage.plane.env })
    return () => replica?.stop()
  })

  it('makes a member at the first sign-in, whose session reaches that tenant only', async () => {
    const { plane, issuer, makeTenant, openBrowser } = stage
    const { id, domain } = await makeTenant()
    issuer.person = { sub: 'ann', email: `Ann@${domain}`, email_verified: true }
    const browser = openBrowser()
    const ended = await browser.signOn(`email=anybody@${domain}&return_to=/app/projects?x=1`)
    expect(ended).toMatchObject({ path: '/app/projects?x=1', problem: null, session: expect.stringMatching(/^sess_/) })
    const user = await currentUser(browser)
    expect(user).toMatchObject({ email: `ann@${domain}`, tenants: [{ id, role: 'viewer' }] })
    expectOk(await browser.call('GET', `/auth/v1/tenants/${id}/members`))

    // Also where the account belongs to another tenant.
    const other = await plane.makeTenant()
    await plane.query('insert into memberships (tenant_id, user_id, role, created_at) values (?, ?, ?, 1)', [
      other.id,
      user.id,
      'owner',
    ])
    expect((await browser.call('GET', `/auth/v1/tenants/${other.id}`)).status).toBe(403)
    expect((await currentUser(browser)).tenants).toHaveLength(1)
    expect(expectOk(await browser.call('GET', '/auth/v1/tenants'))).toMatchObject([{ id }])
  })

  it('does not open the account itself', async () => {
    const { issuer, makeTenant, openBrowser } = stage
    const { id, domain } = await makeTenant()
    issuer.person = { sub: 'bob', email: `bob@${domain}` }
    const browser = openBrowser()
    await browser.signOn(`tenant=${id}`)
    const limited = { status: 403, body: { code: 'own_sign_in_required' } }
    const passwords = { current_password: 'x', new_password: 'a new password of bob' }
    expect(await browser.call('PUT', '/auth/v1/users/current/password', passwords)).toMatchObject(limited)
    expect(await browser.call('GET', '/auth/v1/users/current/sessions')).toMatchObject(limited)
    expect(await browser.call('DELETE', '/auth/v1/users/current/sessions')).toMatchObject(limited)
    expect(await browser.call('POST', '/auth/v1/tenants', { name: 'Another' })).toMatchObject(limited)
    expect(await browser.call('POST', '/auth/v1/sso/link')).toMatchObject(limited)
    expect((await browser.call('GET', '/v1/admin/tenants')).status).toBe(401)
    expect((await browser.call('DELETE', '/auth/v1/sessions/current')).status).toBe(204)
    expect((await browser.call('GET', '/auth/v1/sessions/current')).status).toBe(401)
  })

  it('is no operator’s session, even if the account is an operator', async () => {
    const { plane, issuer, makeTenant, openBrowser } = stage
    const { id, domain } = await makeTenant()
    issuer.person = { sub: 'operator', email: `operator@${domain}` }
    const browser = openBrowser()
    await browser.signOn(`tenant=${id}`)
    const user = await currentUser(browser)
    await plane.query('insert into operators (user_id, created_at, created_by) values (?, 1, ?)', [user.id, 'test'])
    expect((await browser.call('GET', '/v1/admin/operators')).status).toBe(401)
  })

  it('knows a person by issuer and subject, not by their email', async () => {
    const { issuer, makeTenant, openBrowser } = stage
    const { id, domain } = await makeTenant()
    issuer.person = { sub: 'carol', email: `carol@${domain}` }
    const browser = openBrowser()
    await browser.signOn(`tenant=${id}`)
    const first = await currentUser(browser)
    issuer.person = { sub: 'carol', email: `carol.married@${domain}` }
    await browser.signOn(`tenant=${id}`)
    expect(await currentUser(browser)).toEqual(first)
    // The email now belongs to somebody else at the issuer, who must not get the account.
    issuer.person = { sub: 'carol-2', email: `carol@${domain}` }
    const stranger = openBrowser()
    expect(await stranger.signOn(`tenant=${id}`)).toMatchObject({ problem: 'sso_link_required', session: undefined })
  })

  it('keeps the same subject of two issuers apart', async () => {
    const { issuer, otherIssuer, makeTenant, openBrowser } = stage
    const [one, two] = [await makeTenant(), await makeTenant({}, otherIssuer)]
    const [first, second] = [openBrowser(), openBrowser()]
    issuer.person = { sub: 'same', email: `same@${one.domain}` }
    otherIssuer.person = { sub: 'same', email: `same@${two.domain}` }
    await first.signOn(`tenant=${one.id}`)
    await second.signOn(`tenant=${two.id}`)
    const [a, b] = [await currentUser(first), await currentUser(second)]
    expect(a.tenants).toMatchObject([{ id: one.id }])
    expect(b.tenants).toMatchObject([{ id: two.id }])
    expect(a.id).not.toBe(b.id)
  })

  it('knows nobody of the issuer before at another issuer of the same tenant', async () => {
    const { plane, issuer, otherIssuer, makeTenant, openBrowser } = stage
    const { id, domain } = await makeTenant()
    issuer.person = { sub: 'hugo', email: `hugo@${domain}` }
    const before = openBrowser()
    await before.signOn(`tenant=${id}`)
    const first = await currentUser(before)
    const body = { issuer: otherIssuer.url, ...otherIssuer.client, domains: [domain], default_role: 'viewer' }
    expectOk(await plane.call('PUT', `/auth/v1/tenants/${id}/sso`, { session: plane.owner.session, body }))
    otherIssuer.person = { sub: 'hugo', email: `another.hugo@${domain}` }
    const after = openBrowser()
    await after.signOn(`tenant=${id}`)
    expect((await currentUser(after)).id).not.toBe(first.id)
    otherIssuer.person = { sub: 'hugo-2', email: `hugo@${domain}`, email_verified: true }
    expect(await openBrowser().signOn(`tenant=${id}`)).toMatchObject({ problem: 'sso_link_required' })
  })

  it('gives the role that the claim means, at each sign-in', async () => {
    const { plane, issuer, makeTenant, openBrowser } = stage
    const roles = { default_role: 'viewer', role_claim: 'groups', role_map: { admins: 'owner', staff: 'member' } }
    const { id, domain } = await makeTenant(roles)
    const browser = openBrowser()
    const roleAs = async (groups: unknown) => {
      issuer.person = { sub: 'dave', email: `dave@${domain}`, groups }
      await browser.signOn(`tenant=${id}`)
      return (await currentUser(browser)).tenants[0]?.role
    }
    expect(await roleAs(['staff', 'other'])).toBe('member')
    expect(await roleAs(['staff', 'admins'])).toBe('owner')
    expect(await roleAs(undefined)).toBe('viewer')
    expect(await roleAs('staff')).toBe('member')
    const { data } = expectOk<{ data: { action: string; after: unknown }[] }>(
      await plane.call('GET', `/auth/v1/tenants/${id}/audit?action=session.create`, { session: plane.owner.session }),
    )
    expect(data[0]).toMatchObject({ authenticated_by: 'sso', before: { role: 'viewer' }, after: { role: 'member' } })
    expect(data).toHaveLength(4)
  })

  it('never leaves the tenant without an owner', async () => {
    const { plane, issuer, makeTenant, openBrowser } = stage
    const { id, domain } = await makeTenant({ role_claim: 'groups', role_map: { admins: 'owner' } })
    issuer.person = { sub: 'erin', email: `erin@${domain}`, groups: ['admins'] }
    const browser = openBrowser()
    await browser.signOn(`tenant=${id}`)
    const left = await plane.call('DELETE', `/auth/v1/tenants/${id}/members/${plane.owner.id}`, {
      session: plane.owner.session,
    })
    expect(left.status).toBe(204)
    issuer.person = { sub: 'erin', email: `erin@${domain}` }
    await browser.signOn(`tenant=${id}`)
    expect((await currentUser(browser)).tenants).toMatchObject([{ role: 'owner' }])
  })

  it('ends for a removed member at once, who comes back by an invitation only', async () => {
    const { plane, issuer, makeTenant, openBrowser } = stage
    const { id, domain } = await makeTenant()
    issuer.person = { sub: 'frank', email: `frank@${domain}` }
    const browser = openBrowser()
    await browser.signOn(`tenant=${id}`)
    const user = await currentUser(browser)
    const owner = { session: plane.owner.session }
    await plane.call('DELETE', `/auth/v1/tenants/${id}/members/${user.id}`, owner)
    expect((await browser.call('GET', `/auth/v1/tenants/${id}`)).status).toBe(401)
    expect(await openBrowser().signOn(`tenant=${id}`)).toMatchObject({ problem: 'sso_removed' })
    await plane.call('POST', `/auth/v1/tenants/${id}/members`, {
      ...owner,
      body: { email: user.email, role: 'member' },
    })
    await browser.signOn(`tenant=${id}`)
    expect(await currentUser(browser)).toMatchObject({ id: user.id, tenants: [{ id, role: 'member' }] })
  })

  it('loses an owner’s permissions with the role, and all with the membership, at once at every replica', async () => {
    const { plane, issuer, makeTenant, openBrowser } = stage
    const { id, domain } = await makeTenant({ default_role: 'owner' })
    issuer.person = { sub: 'gina', email: `gina@${domain}` }
    const browser = openBrowser()
    await browser.signOn(`tenant=${id}`)
    const user = await currentUser(browser)
    const headers = { authorization: `Bearer ${browser.cookies.get('sallyport')}` }
    const statusesOf = async (rest: string) =>
      await Promise.all(
        [plane, ...(replica === null ? [] : [replica])].map(
          async ({ baseUrl }) => (await fetch(`${baseUrl}/auth/v1/tenants/${id}${rest}`, { headers })).status,
        ),
      )
    const everywhere = (status: number) => (replica === null ? [status] : [status, status])
    expect(await statusesOf('/invitations')).toEqual(everywhere(200))
    const path = `/auth/v1/tenants/${id}/members/${user.id}`
    const owner = { session: plane.owner.session }
    expectOk(await plane.call('PATCH', path, { ...owner, body: { role: 'viewer' } }))
    expect(await statusesOf('/invitations')).toEqual(everywhere(403))
    expect(await statusesOf('')).toEqual(everywhere(200))
    expect((await plane.call('DELETE', path, owner)).status).toBe(204)
    expect(await statusesOf('')).toEqual(everywhere(401))
  })
})
