// The factors of an account: added with a recent sign-in, removed, lost, and required by a tenant.
import { beforeAll, describe, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness, type Person } from '../../support/management-harness.ts'
import { totpCode } from '../../support/simulated/totp-code.ts'
import { expectOk, expectRefusal } from '../requests.ts'
import { addPasskey, addTotp, beginSignIn, forgetCodes, makeStale, paths, stepUpWith } from './people.ts'

const reauthenticate = { error: 'Sign in again to use this route', code: 'reauthenticate' }

describeEachBackend('second factors', start => {
  let plane: ManagementHarness
  beforeAll(async () => {
    plane = await start({ own: true })
  })

  const factorsOf = async ({ session }: Pick<Person, 'session'>) =>
    expectOk(await plane.call('GET', paths.factors, { session }))

  test('need a recent sign-in to be added, also the first one', async () => {
    const person = await plane.makePerson()
    const { session } = person
    await makeStale(plane, person)
    expectRefusal(await plane.call('POST', paths.totp, { session }), 403, reauthenticate)
    expectRefusal(await plane.call('POST', `${paths.passkeys}/options`, { session }), 403, reauthenticate)
    const options = await plane.call('POST', `${paths.reauthenticate}/options`, { session })
    expect(expectOk(options)).toMatchObject({ methods: ['password'] })
    const wrong = { session, body: { password: 'not the right password' } }
    expectRefusal(await plane.call('POST', paths.reauthenticate, wrong), 401, 'Invalid current password')
    const right = { session, body: { password: person.password } }
    expect((await plane.call('POST', paths.reauthenticate, right)).status).toBe(204)
    expectOk(await plane.call('POST', paths.totp, { session }))
  })

  test('end all other sessions with the first one, and none with the second', async () => {
    const person = await plane.makePerson()
    const older = await plane.signIn(person.email, person.password)
    const withTotp = await addTotp(plane, person)
    expect((await plane.call('GET', paths.factors, { session: older })).status).toBe(401)
    const { challenge } = await beginSignIn(plane, withTotp)
    const body = { challenge, code: totpCode(withTotp.secret) }
    const signedIn = await plane.call('POST', paths.secondFactor, { body })
    const { session_token: other } = expectOk<{ session_token: string }>(signedIn)
    expectOk((await addPasskey(plane, person)).answer, 201)
    expect((await plane.call('GET', paths.factors, { session: other })).status).toBe(200)
    expect(await factorsOf(person)).toEqual({ passkeys: 1, totp: true, backup_codes_left: 10 })
  })

  test('count once confirmed, and the account needs none once the last is removed', async () => {
    const person = await plane.makePerson()
    const { session } = person
    const confirm = (code: string) => plane.call('POST', `${paths.totp}/confirm`, { session, body: { code } })
    expectRefusal(await confirm('123456'), 404, 'The account has no authenticator app')
    const { secret } = expectOk<{ secret: string }>(await plane.call('POST', paths.totp, { session }))
    expect((await confirm(totpCode(secret, Date.now() - 600_000))).status).toBe(401)
    expect((await beginSignIn(plane, person)).answer.status).toBe(200)
    expectOk(await confirm(totpCode(secret)))
    expectRefusal(
      await plane.call('POST', paths.totp, { session }),
      409,
      'The account has an authenticator app: remove it first',
    )
    expect((await beginSignIn(plane, person)).answer.status).toBe(401)
    const remove = (code: string) => plane.call('DELETE', paths.totp, { session, body: { code } })
    // The code that confirmed it was used.
    expect((await remove(totpCode(secret))).status).toBe(401)
    await forgetCodes(plane, person)
    expect((await remove(totpCode(secret))).status).toBe(204)
    expect(await factorsOf(person)).toEqual({ passkeys: 0, totp: false, backup_codes_left: 0 })
    expect((await beginSignIn(plane, person)).answer.status).toBe(200)
  })

  test('are renewed backup codes, of an account that has a factor', async () => {
    const person = await plane.makePerson()
    const { session } = person
    const renew = () => plane.call('POST', paths.backupCodes, { session })
    expectRefusal(await renew(), 409, 'The account has no second factor')
    const { backupCodes } = await addTotp(plane, person)
    const { backup_codes: next } = expectOk<{ backup_codes: string[] }>(await renew())
    const { challenge } = await beginSignIn(plane, person)
    const prove = (backup_code = '') => plane.call('POST', paths.secondFactor, { body: { challenge, backup_code } })
    expect((await prove(backupCodes[0])).status).toBe(401)
    expectOk(await prove(next[0]))
  })

  test('are the own ones alone', async () => {
    const [person, other] = [await plane.makePerson(), await plane.makePerson()]
    const added = await addPasskey(plane, person)
    const { id } = expectOk<{ id: string }>(added.answer, 201)
    const remove = ({ session }: Person) => plane.call('DELETE', `${paths.passkeys}/${id}`, { session })
    expectRefusal(await remove(other), 404, 'Passkey not found')
    expect((await remove(person)).status).toBe(204)
    expect(await factorsOf(person)).toMatchObject({ passkeys: 0 })
    expect((await beginSignIn(plane, person)).answer.status).toBe(200)
  })

  test('are removed by the operator for who has lost them, with the sessions', async () => {
    const person = await addTotp(plane, await plane.makePerson())
    await addPasskey(plane, person)
    const path = `/v1/admin/users/${person.id}/second-factors`
    expect((await plane.call('DELETE', path, { session: person.session })).status).toBe(401)
    expect((await plane.call('DELETE', path, { adminSecret: plane.adminSecret })).status).toBe(204)
    expect((await plane.call('GET', paths.factors, { session: person.session })).status).toBe(401)
    const session = await plane.signIn(person.email, person.password)
    expect(await factorsOf({ session })).toEqual({ passkeys: 0, totp: false, backup_codes_left: 0 })
  })

  test('are proven before an invitation is accepted by password', async () => {
    const person = await addTotp(plane, await plane.makePerson())
    const tenant = await plane.makeTenant()
    const invited = await plane.call('POST', `/auth/v1/tenants/${tenant.id}/members`, {
      session: plane.owner.session,
      body: { email: person.email, role: 'viewer' },
    })
    const token = expectOk<{ invite_url: string }>(invited, 201).invite_url.split('#token=')[1]
    const accept = (more: object, session?: string) =>
      plane.call('POST', '/auth/v1/invitations/accept', { body: { token, ...more }, ...(session && { session }) })
    const refused = await accept({ password: person.password })
    expect([refused.status, (refused.body as { code: string }).code]).toEqual([401, 'second_factor_required'])
    const members = () =>
      plane.query('select user_id from memberships where tenant_id = ? and user_id = ?', [tenant.id, person.id])
    expect(await members()).toEqual([])
    expectOk(await accept({}, person.session))
    expect(await members()).toHaveLength(1)
  })

  describe('that a tenant requires', () => {
    test('keep out its members without one, and nobody else', async () => {
      const owner = await plane.makePerson()
      const tenant = await plane.makeTenant({ session: owner.session })
      const member = await plane.makePerson()
      await plane.join(tenant.id, member, 'viewer', owner.session)
      const path = `/auth/v1/tenants/${tenant.id}`
      const require = (require_second_factor: unknown, { session }: Person) =>
        plane.call('PUT', `${path}/sign-in-rules`, { session, body: { require_second_factor } })
      const words = 'Add a second factor to your own account first'
      expectRefusal(await require(true, owner), 409, words)
      expectRefusal(await require('yes', owner), 400, 'require_second_factor must be true or false')
      const { authenticator } = await addPasskey(plane, owner)
      expectOk(await require(true, owner))
      expect(expectOk(await plane.call('GET', path, owner))).toMatchObject({ require_second_factor: true })
      expectRefusal(await plane.call('GET', path, member), 403, {
        error: 'This tenant requires a second factor: add a passkey or an authenticator app to your account',
        code: 'second_factor_missing',
      })
      await addTotp(plane, member)
      expectOk(await plane.call('GET', path, member))
      expect((await require(false, member)).status).toBe(403)
      await makeStale(plane, owner)
      expectRefusal(await require(false, owner), 403, reauthenticate)
      expect((await stepUpWith(plane, owner.session, authenticator)).status).toBe(204)
      expect(expectOk(await require(false, owner))).toMatchObject({ require_second_factor: false })
    })
  })
})
