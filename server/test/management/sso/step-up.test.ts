// What a session of a single sign-on may add to its account and to itself: no factor that outlives the issuer, no
// recent sign-in by a password, and no program that stays after it.
import { beforeAll, expect, it } from 'vitest'
import { describeEachBackend, type Person } from '../../support/management-harness.ts'
import { totpCode } from '../../support/simulated/totp-code.ts'
import { addTotp, makeStale, paths } from '../factors/people.ts'
import { expectOk } from '../requests.ts'
import { type Browser, currentUser, type SignOnStage, startSignOn } from './sign-on-stage.ts'

const ownSignIn = { status: 403, body: { code: 'own_sign_in_required' } }
const reauthenticate = { status: 403, body: { code: 'reauthenticate' } }
const signOnAgain = { status: 403, body: { code: 'sign_on_again' } }

describeEachBackend('a session of a single sign-on', start => {
  let stage: SignOnStage

  beforeAll(async () => {
    stage = await startSignOn(start, issuer => ({
      OIDC_ISSUER: issuer.url,
      OIDC_CLIENT_ID: issuer.client.client_id,
      OIDC_CLIENT_SECRET: issuer.client.client_secret,
    }))
  })

  async function signOnToTenant(sub: string) {
    const { issuer, makeTenant, openBrowser } = stage
    const { id, domain } = await makeTenant({ default_role: 'owner' })
    issuer.person = { sub, email: `${sub}@${domain}` }
    const browser = openBrowser()
    await browser.signOn(`tenant=${id}`)
    return { browser, id, userId: (await currentUser(browser)).id }
  }

  async function signOnToInstallation(person: Pick<Person, 'email' | 'id'>): Promise<Browser> {
    const { plane, issuer, openBrowser } = stage
    // As if the person had accepted an invitation: the first sign-on clears neither password nor factors.
    await plane.query('update users set email_proven_at = 1 where id = ?', [person.id])
    issuer.person = { sub: person.id, email: person.email, email_verified: true }
    const browser = openBrowser()
    expect(await browser.signOn('')).toMatchObject({ problem: null })
    return browser
  }

  async function signInProgram(browser: Browser) {
    const { plane } = stage
    const codes = expectOk<{ device_code: string; user_code: string }>(
      await plane.call('POST', '/auth/v1/device/code', { body: {} }),
    )
    const { user_code, device_code } = codes
    expect(await browser.call('POST', '/auth/v1/device/approve', { user_code })).toMatchObject({ status: 204 })
    return expectOk<{ access_token: string; expires_in: number }>(
      await plane.call('POST', '/auth/v1/device/token', { body: { device_code } }),
    )
  }

  it('of a tenant adds no passkey and no authenticator app to the account', async () => {
    const { plane } = stage
    const { browser, userId } = await signOnToTenant('ada')
    expect(await browser.call('POST', `${paths.passkeys}/options`)).toMatchObject(ownSignIn)
    const credential = { clientDataJSON: 'e30', attestationObject: 'oA' }
    const passkey = { name: 'Laptop', response: { id: 'x', type: 'public-key', response: credential } }
    expect(await browser.call('POST', paths.passkeys, passkey)).toMatchObject(ownSignIn)
    expect(await browser.call('POST', paths.totp)).toMatchObject(ownSignIn)
    expect(await browser.call('POST', `${paths.totp}/confirm`, { code: '123456' })).toMatchObject(ownSignIn)
    expect(await browser.call('POST', paths.backupCodes)).toMatchObject(ownSignIn)
    for (const table of ['passkeys', 'totp_secrets', 'backup_codes']) {
      expect(await plane.query(`select user_id from ${table} where user_id = ?`, [userId])).toEqual([])
    }
  })

  it('of a tenant is recent again by its issuer, by nothing else', async () => {
    const { plane, issuer } = stage
    const { browser, id, userId } = await signOnToTenant('berta')
    const invite = () =>
      browser.call('POST', `/auth/v1/tenants/${id}/members`, { email: 'x@example.com', role: 'viewer' })
    await makeStale(plane, { id: userId })
    expect(await invite()).toMatchObject(reauthenticate)
    expect(expectOk(await browser.call('POST', `${paths.reauthenticate}/options`))).toMatchObject({ methods: ['sso'] })
    for (const proof of [{ password: 'any' }, { code: '123456' }]) {
      expect(await browser.call('POST', paths.reauthenticate, proof)).toMatchObject(signOnAgain)
    }
    const { sso } = expectOk<{ sso: { tenant_id: string; start: string } }>(
      await browser.call('GET', '/auth/v1/sessions/current'),
    )
    expect(sso).toEqual({ tenant_id: id, start: `/auth/v1/sso/start?tenant=${id}&fresh=true` })
    expect(issuer.asked.get('prompt')).toBeNull()
    await browser.signOn(sso.start.slice('/auth/v1/sso/start?'.length))
    expect(issuer.asked.get('prompt')).toBe('login')
    expect(await invite()).toMatchObject({ status: 201 })
  })

  it('of the installation is never recent by a password, but by a code of the account', async () => {
    const { plane } = stage
    const { id } = await plane.makeTenant()
    const person = await addTotp(plane, await plane.makePerson({ tenantId: id, role: 'owner' }))
    const browser = await signOnToInstallation(person)
    await makeStale(plane, person)
    const options = expectOk(await browser.call('POST', `${paths.reauthenticate}/options`))
    expect(options).toMatchObject({ methods: ['sso', 'totp'] })
    const byPassword = { password: person.password }
    expect(await browser.call('POST', paths.reauthenticate, byPassword)).toMatchObject(signOnAgain)
    expect(await browser.call('DELETE', `/auth/v1/tenants/${id}/roles/none`)).toMatchObject(reauthenticate)
    const byCode = { code: totpCode(person.secret) }
    expect(await browser.call('POST', paths.reauthenticate, byCode)).toMatchObject({ status: 204 })
    expect((await browser.call('DELETE', `/auth/v1/tenants/${id}/roles/none`)).status).toBe(404)
    // It stays one of the single sign-on.
    expect(await browser.call('POST', paths.reauthenticate, byPassword)).toMatchObject(signOnAgain)
  })

  it('of the installation loses the factors of whoever made the account before', async () => {
    const { plane, issuer, openBrowser } = stage
    const person = await addTotp(plane, await plane.makePerson())
    issuer.person = { sub: person.id, email: person.email, email_verified: true }
    const browser = openBrowser()
    await browser.signOn('')
    expect(expectOk(await browser.call('GET', paths.factors))).toMatchObject({ passkeys: 0, totp: false })
  })

  it('links no identity with a stale sign-in', async () => {
    const { plane, issuer, makeTenant, openBrowser } = stage
    const person = await plane.makePerson()
    const { id, domain } = await makeTenant()
    const email = `clara@${domain}`
    await plane.query('update users set email = ? where id = ?', [email, person.id])
    issuer.person = { sub: 'clara', email }
    const browser = openBrowser()
    await browser.signOn(`tenant=${id}`)
    expectOk(await browser.call('POST', '/auth/v1/sessions?cookie=true', { email, password: person.password }))
    await makeStale(plane, person)
    expect(await browser.call('POST', '/auth/v1/sso/link')).toMatchObject(reauthenticate)
  })

  it('signs a program in that reaches no more and lasts no longer, and that ends with the identity', async () => {
    const { plane, issuer } = stage
    const { browser, id, userId } = await signOnToTenant('doris')
    const program = await signInProgram(browser)
    expect(program.expires_in).toBeLessThanOrEqual(12 * 60 * 60)
    const asProgram = (path: string) => plane.call('GET', path, { session: program.access_token })
    expectOk(await asProgram(`/auth/v1/tenants/${id}`))
    expect(await asProgram('/auth/v1/users/current/sessions')).toMatchObject(ownSignIn)
    const rows = await plane.query<{ refresh_token: string | null }>(
      'select refresh_token from sessions where user_id = ? and refresh_token is null',
      [userId],
    )
    expect(rows).toHaveLength(1)
    issuer.revoked.add('doris')
    await plane.query('update sessions set refresh_at = 1 where user_id = ? and refresh_at is not null', [userId])
    await expect.poll(async () => (await asProgram('/auth/v1/sessions/current')).status).toBe(401)
  })

  it('of the installation signs a program in for no longer either', async () => {
    const { plane } = stage
    const { id } = await plane.makeTenant()
    const person = await plane.makePerson({ tenantId: id, role: 'member' })
    const { expires_in } = await signInProgram(await signOnToInstallation(person))
    expect(expires_in).toBeGreaterThan(11 * 60 * 60)
    expect(expires_in).toBeLessThanOrEqual(12 * 60 * 60)
  })
})
