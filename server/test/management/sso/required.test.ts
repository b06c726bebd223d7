// A tenant that requires its single sign-on, the owner who keeps another way in, and its configuration.
import { beforeAll, expect, it } from 'vitest'
import { describeEachBackend } from '../../support/management-harness.ts'
import { expectOk } from '../requests.ts'
import { currentUser, type SignOnStage, startSignOn } from './sign-on-stage.ts'

describeEachBackend('required single sign-on', start => {
  let stage: SignOnStage

  beforeAll(async () => {
    stage = await startSignOn(start)
  })

  const put = async (id: string, body: object, session = stage.plane.owner.session) =>
    await stage.plane.call('PUT', `/auth/v1/tenants/${id}/sso`, { session, body })

  const bodyFor = (domain: string, more: object = {}) => {
    const { issuer } = stage
    return { issuer: issuer.url, ...issuer.client, domains: [domain], default_role: 'viewer', ...more }
  }

  it('shuts out passwords of all but the one owner', async () => {
    const { plane, issuer, makeTenant, openBrowser } = stage
    const { id, domain } = await makeTenant()
    const [member, owner] = [
      await plane.makePerson({ tenantId: id, role: 'member' }),
      await plane.makePerson({ tenantId: id, role: 'owner' }),
    ]
    const project = await plane.makeProject(id)
    const body = bodyFor(domain, { required: true, break_glass_user_id: plane.owner.id })
    expectOk(await put(id, body))
    const required = { status: 403, body: { code: 'sso_required' } }
    for (const { session } of [member, owner]) {
      expect(await plane.call('GET', `/auth/v1/tenants/${id}`, { session })).toMatchObject(required)
      expect(await plane.call('GET', `/auth/v1/projects/${project.id}`, { session })).toMatchObject(required)
    }
    expectOk(await plane.call('GET', `/auth/v1/tenants/${id}`, { session: plane.owner.session }))

    issuer.person = { sub: 'peggy', email: `peggy@${domain}` }
    const browser = openBrowser()
    await browser.signOn(`tenant=${id}`)
    expectOk(await browser.call('GET', `/auth/v1/projects/${project.id}`))
    // Programs have no password.
    const account = expectOk<{ key: string }>(
      await plane.call('POST', `/auth/v1/tenants/${id}/service-accounts`, {
        session: plane.owner.session,
        body: { name: 'Reader', permissions: ['project:read'] },
      }),
      201,
    )
    expectOk(await plane.call('GET', `/auth/v1/projects/${project.id}`, { session: account.key }))

    // Who keeps the password does so as an owner only.
    const demoted = await plane.call('PATCH', `/auth/v1/tenants/${id}/members/${plane.owner.id}`, {
      session: plane.owner.session,
      body: { role: 'member' },
    })
    expectOk(demoted)
    expect(await plane.call('GET', `/auth/v1/tenants/${id}`, { session: plane.owner.session })).toMatchObject(required)
  })

  it('cannot be switched on before an owner has another way in', async () => {
    const { plane, issuer, makeTenant, openBrowser } = stage
    const { id, domain } = await makeTenant({ default_role: 'owner' })
    const body = bodyFor(domain, { required: true, default_role: 'owner' })
    expect((await put(id, body)).status).toBe(409)
    const member = await plane.makePerson({ tenantId: id, role: 'member' })
    for (const break_glass_user_id of [member.id, 'nobody', crypto.randomUUID()]) {
      const { status, body: answer } = await put(id, { ...body, break_glass_user_id })
      expect([status, answer]).toEqual([400, { error: 'break_glass_user_id must be the id of an owner of the tenant' }])
    }
    issuer.person = { sub: 'rupert', email: `rupert@${domain}` }
    const browser = openBrowser()
    await browser.signOn(`tenant=${id}`)
    expectOk(await put(id, body))
    expectOk(await browser.call('GET', `/auth/v1/tenants/${id}`))
    expect((await plane.call('GET', `/auth/v1/tenants/${id}`, { session: plane.owner.session })).status).toBe(403)
  })

  it('is not got around by a reset link: it gives back the account, which its identity can be linked to', async () => {
    const { plane, issuer, makeTenant, openBrowser } = stage
    const { id, domain } = await makeTenant({ default_role: 'owner' })
    const keeper = await plane.makePerson({ tenantId: id, role: 'owner' })
    const member = await plane.makePerson({ tenantId: id, role: 'member' })
    const email = `mia@${domain}`
    await plane.query('update users set email = ? where id = ?', [email, member.id])
    const path = `/auth/v1/tenants/${id}`
    const linkFor = ({ id: userId }: { id: string }) => `${path}/members/${userId}/reset-link`
    const password = 'a new and longer password'
    const accept = ({ reset_url }: { reset_url: string }) =>
      plane.call('POST', '/auth/v1/password-resets/accept', {
        body: { token: reset_url.split('#token=')[1], password },
      })
    const early = expectOk<{ reset_url: string }>(await plane.call('POST', linkFor(keeper), plane.owner), 201)
    expectOk(await put(id, bodyFor(domain, { required: true, default_role: 'owner', break_glass_user_id: keeper.id })))

    // The owner who keeps the password is not reset by another one, nor by a link from before.
    issuer.person = { sub: 'olga', email: `olga@${domain}`, email_verified: true }
    const owner = openBrowser()
    await owner.signOn(`tenant=${id}`)
    const refused = { status: 403, body: { error: 'Only the operator can reset this account' } }
    expect(await owner.call('POST', linkFor(keeper), {})).toMatchObject(refused)
    expect(await accept(early)).toMatchObject({ status: 404 })
    expectOk(await plane.call('GET', path, { session: await plane.signIn(keeper.email, keeper.password) }))

    const link = expectOk<{ reset_url: string }>(await owner.call('POST', linkFor(member), {}), 201)
    const { session_token: session } = expectOk<{ session_token: string }>(await accept(link))
    for (const credential of [session, await plane.signIn(email, password)]) {
      expect(await plane.call('GET', path, { session: credential })).toMatchObject({
        status: 403,
        body: { code: 'sso_required' },
      })
    }
    issuer.person = { sub: 'mia', email, email_verified: true }
    const browser = openBrowser()
    expect(await browser.signOn(`tenant=${id}`)).toMatchObject({ problem: 'sso_link_required' })
    expectOk(await browser.call('POST', '/auth/v1/sessions?cookie=true', { email, password }))
    expectOk(await browser.call('POST', '/auth/v1/sso/link'))
    expect(await browser.signOn(`tenant=${id}`)).toMatchObject({ problem: null })
    expectOk(await browser.call('GET', path))
    // While it is not required, the owner who keeps the password is one like the others.
    expect(await owner.call('PUT', `${path}/sso`, bodyFor(domain, { default_role: 'owner' }))).toMatchObject({
      status: 200,
    })
    expectOk(await owner.call('POST', linkFor(keeper), {}), 201)
  })

  it('never shows the secret, and keeps it only for the same client of the same issuer', async () => {
    const { plane, issuer, otherIssuer, makeTenant } = stage
    const { id, domain } = await makeTenant()
    const session = plane.owner.session
    const shown = await plane.call('GET', `/auth/v1/tenants/${id}/sso`, { session })
    expect(shown.text).not.toContain(issuer.client.client_secret)
    expect(shown.body).toEqual({
      issuer: issuer.url,
      client_id: 'sallyport',
      domains: [domain],
      required: false,
      break_glass_user_id: null,
      default_role: 'viewer',
      role_claim: null,
      role_map: {},
      callback_url: expect.stringMatching(/\/auth\/v1\/sso\/callback$/),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    const { client_secret: _, ...rest } = bodyFor(domain)
    expectOk(await put(id, { ...rest, default_role: 'member' }))
    const elsewhere = await put(id, { ...rest, issuer: otherIssuer.url })
    expect(elsewhere).toMatchObject({ status: 400, body: { error: 'client_secret is required' } })
    const audit = await plane.call('GET', `/auth/v1/tenants/${id}/audit`, { session })
    expect(audit.text).not.toContain(issuer.client.client_secret)
    expect(audit.text).toContain('sso.put')
    const [row] = await plane.query<{ ciphertext: string }>(
      'select ciphertext from sso_connections where tenant_id = ?',
      [id],
    )
    expect(row?.ciphertext).toMatch(/^v1\./)
  })

  it('grants no role that its writer lacks', async () => {
    const { plane, makeTenant } = stage
    const { id, domain } = await makeTenant()
    const session = plane.owner.session
    const role = { permissions: ['project:read', 'sso:write'] }
    expectOk(await plane.call('PUT', `/auth/v1/tenants/${id}/roles/it`, { session, body: role }))
    const person = await plane.makePerson({ tenantId: id, role: 'it' })
    const lacking = { status: 403, body: { code: 'permission_missing' } }
    expect(await put(id, bodyFor(domain, { default_role: 'owner' }), person.session)).toMatchObject(lacking)
    expect(await put(id, bodyFor(domain, { role_map: { a: 'owner' } }), person.session)).toMatchObject(lacking)
    expectOk(await put(id, bodyFor(domain, { default_role: 'it' }), person.session))
    expect(await put(id, bodyFor(domain, { default_role: 'nobody' }))).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^default_role must be one of/) },
    })
    const deleted = await plane.call('DELETE', `/auth/v1/tenants/${id}/roles/it`, { session })
    expect(deleted.status).toBe(409)
  })

  it.each([
    ['http://10.0.0.1/', 'a private address'],
    ['https://metadata.google.internal/', 'a private name'],
    ['http://login.example.com', 'plain http'],
  ])('does not reach %s, %s', async issuer => {
    const { plane, makeTenant } = stage
    const { id, domain } = await makeTenant()
    expect((await put(id, bodyFor(domain, { issuer }))).status).toBe(400)
    const path = `/auth/v1/tenants/${id}/sso/test`
    const tested = await plane.call('POST', path, { session: plane.owner.session, body: { issuer } })
    expect(tested.status).toBe(400)
  })

  it('ends the sessions it opened when it is removed or its client changes', async () => {
    const { plane, issuer, makeTenant, openBrowser } = stage
    const { id, domain } = await makeTenant()
    issuer.person = { sub: 'sybil', email: `sybil@${domain}` }
    const browser = openBrowser()
    await browser.signOn(`tenant=${id}`)
    expectOk(await put(id, bodyFor(domain)))
    await currentUser(browser)
    expectOk(await put(id, bodyFor(domain, { client_id: 'another', client_secret: 'secret' })))
    expect((await browser.call('GET', '/auth/v1/sessions/current')).status).toBe(401)
    expectOk(await put(id, bodyFor(domain)))
    await browser.signOn(`tenant=${id}`)
    await currentUser(browser)
    const removed = await plane.call('DELETE', `/auth/v1/tenants/${id}/sso`, { session: plane.owner.session })
    expect(removed.status).toBe(204)
    expect((await browser.call('GET', '/auth/v1/sessions/current')).status).toBe(401)
    expect(await browser.signOn(`tenant=${id}`)).toMatchObject({ problem: 'sso_not_configured' })
  })

  it('says what is wrong with an issuer', async () => {
    const { plane, issuer, otherIssuer, makeTenant } = stage
    const { id } = await makeTenant()
    const test = async (body?: object) =>
      expectOk<{ ok: boolean; checks: { name: string; outcome: string; detail: string }[] }>(
        await plane.call('POST', `/auth/v1/tenants/${id}/sso/test`, { session: plane.owner.session, body }),
      )
    const outcomes = async (body?: object) => (await test(body)).checks.map(({ name, outcome }) => `${name} ${outcome}`)
    const passed = ['discovery passed', 'code_flow passed', 'keys passed', 'client passed', 'refresh passed']
    expect(await outcomes()).toEqual(passed)
    expect(await outcomes({ issuer: otherIssuer.url })).toContain('client skipped')
    const wrong = await test({ issuer: issuer.url, client_id: 'sallyport', client_secret: 'wrong' })
    expect(wrong).toMatchObject({ ok: false })
    expect(wrong.checks[3]).toMatchObject({ outcome: 'failed', detail: expect.stringContaining('invalid_client') })
    expect(await outcomes({ issuer: `${issuer.url}/wrong` })).toEqual([
      'discovery failed',
      'code_flow skipped',
      'keys skipped',
      'client skipped',
      'refresh skipped',
    ])
  })
})
