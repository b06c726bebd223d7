// Step-up: which routes need a recent sign-in derives from the table of permissions, for accounts with a second factor
// alone; operators; and what a challenge of one session proves in another. ../idor-matrix.full.test.ts asks stale
// sessions at every route.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeRoutes } from '../../../src/management/plane/openapi-document.ts'
import { pathsOf } from '../../../src/management/plane/route.ts'
import { routeStepsUp } from '../../../src/management/plane/step-up.ts'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { totpCode } from '../../support/simulated/totp-code.ts'
import { openRouteTable, type RouteTable } from '../plane/route-table.ts'
import { expectOk, expectRefusal } from '../requests.ts'
import { addPasskey, addTotp, beginSignIn, forgetCodes, makeStale, paths, stepUpWith } from './people.ts'

const reauthenticate = { error: 'Sign in again to use this route', code: 'reauthenticate' }

let table: RouteTable
beforeAll(async () => {
  table = await openRouteTable()
})
afterAll(() => table.close())

describe('the routes that need a recent sign-in', () => {
  const named = [
    ['new keys', ['createApiKey', 'rotateApiKey', 'createServiceAccount', 'rotateServiceAccount']],
    ['provider keys', ['setProviderKey', 'deleteProviderKey', 'setAzureProvider', 'setCustomProvider']],
    ['roles', ['putRole', 'deleteRole']],
    ['members', ['addMember', 'changeMemberRole', 'removeMember', 'createMemberResetLink']],
    ['reading content', ['exportTenant']],
    ['programs that are signed in', ['approveDevice']],
    ['deletion', ['deleteTenant', 'deleteProject', 'eraseEndUser']],
    ['the own factors', ['addPasskey', 'removePasskey', 'beginTotp', 'confirmTotp', 'removeTotp', 'createBackupCodes']],
  ] as const

  test.each(named)('are those of %s', (_what, operations) => {
    const stepUp = table.routes.filter(routeStepsUp).map(({ operation }) => operation)
    expect(stepUp).toEqual(expect.arrayContaining([...operations]))
  })

  test('are none of those that people use all day', () => {
    const daily = ['getSettings', 'updateSettings', 'deploySettings', 'listMembers', 'listApiKeys', 'listRequests']
    const stepUp = table.routes.filter(routeStepsUp).map(({ operation }) => operation)
    expect(stepUp.filter(operation => daily.includes(operation))).toEqual([])
    expect(table.routes.map(({ operation }) => operation)).toEqual(expect.arrayContaining(daily))
  })

  test('stand in the OpenAPI document', () => {
    const document = describeRoutes(table.routes, { baseUrl: 'http://localhost', publicDomain: 'localhost' })
    for (const one of table.routes) {
      for (const path of pathsOf(one)) {
        const described = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[one.method.toLowerCase()]
        expect([one.operation, described?.['x-step-up'] ?? false]).toEqual([one.operation, routeStepsUp(one)])
      }
    }
  })
})

describeEachBackend('step-up', start => {
  let plane: ManagementHarness
  beforeAll(async () => {
    plane = await start({ own: true })
  })

  test('is asked of a stale session with a second factor, and of no other', async () => {
    const makeOwner = async () => {
      const owner = await plane.makePerson()
      const { id } = await plane.makeTenant({ session: owner.session })
      const { id: projectId } = await plane.makeProject(id, owner.session)
      const path = `/auth/v1/projects/${projectId}/api-keys`
      return { ...owner, create: () => plane.call('POST', path, { session: owner.session, body: { name: 'x' } }) }
    }
    const [plain, strong] = await Promise.all([makeOwner(), makeOwner()])
    const { authenticator } = await addPasskey(plane, strong)
    for (const owner of [plain, strong]) await makeStale(plane, owner)
    expectOk(await plain.create(), 201)
    expectRefusal(await strong.create(), 403, reauthenticate)
    expect((await stepUpWith(plane, strong.session, authenticator)).status).toBe(204)
    expectOk(await strong.create(), 201)
  })

  test('is done by a code, once, by a password, and by a passkey for the session that asked', async () => {
    const person = await addTotp(plane, await plane.makePerson())
    const { session } = person
    const { authenticator } = await addPasskey(plane, person)
    const renew = (body: object) => plane.call('POST', paths.reauthenticate, { session, body })
    const isFresh = async () => (await plane.call('POST', paths.backupCodes, { session })).status === 200
    const code = totpCode(person.secret)
    for (const body of [{ code }, { password: person.password }]) {
      await makeStale(plane, person)
      expect(await isFresh()).toBe(false)
      expect((await renew(body)).status).toBe(204)
      expect(await isFresh()).toBe(true)
    }
    await makeStale(plane, person)
    expect((await renew({ code })).status).toBe(401)
    await forgetCodes(plane, person)
    const { challenge } = await beginSignIn(plane, person)
    const signedIn = await plane.call('POST', paths.secondFactor, {
      body: { challenge, passkey: authenticator.get({ challenge, rpId: 'localhost' }) },
    })
    const { session_token: other } = expectOk<{ session_token: string }>(signedIn)
    const begun = await plane.call('POST', `${paths.reauthenticate}/options`, { session: other })
    const { passkey: options } = expectOk<{ passkey: { challenge: string; rpId: string } }>(begun)
    const words = { error: 'The challenge has expired or was used. Begin again.', code: 'challenge_invalid' }
    expectRefusal(await renew({ passkey: authenticator.get(options) }), 401, words)
    expect(await isFresh()).toBe(false)
    expectRefusal(await renew({}), 400, 'Give exactly one of password, code and passkey')
  })

  test('is asked before a program is signed in, which then counts as signed in as its approver does', async () => {
    const owner = await plane.makePerson()
    const tenant = await plane.makeTenant({ session: owner.session })
    const { authenticator } = await addPasskey(plane, owner)
    const { device_code, user_code } = expectOk<{ device_code: string; user_code: string }>(
      await plane.call('POST', '/auth/v1/device/code', { body: { client_name: 'sallyport on build-7' } }),
    )
    const approve = () => plane.call('POST', '/auth/v1/device/approve', { session: owner.session, body: { user_code } })
    await makeStale(plane, owner)
    expectRefusal(await approve(), 403, reauthenticate)
    expect((await stepUpWith(plane, owner.session, authenticator)).status).toBe(204)
    expectOk(await approve(), 204)
    const exchanged = await plane.call('POST', '/auth/v1/device/token', { body: { device_code } })
    const { access_token: session } = expectOk<{ access_token: string }>(exchanged)
    const listed = await plane.call('GET', '/auth/v1/users/current/sessions', { session })
    expect(expectOk<object[]>(listed)).toContainEqual(
      expect.objectContaining({ current: true, authenticated_by: 'passkey' }),
    )
    const path = `/auth/v1/tenants/${tenant.id}/sign-in-rules`
    const require = () => plane.call('PUT', path, { session, body: { require_second_factor: true } })
    expectOk(await require())
    await makeStale(plane, owner)
    expectRefusal(await require(), 403, reauthenticate)
    // It reaches the tenant that now asks for a second factor, and steps up by itself.
    expectOk(await plane.call('GET', `/auth/v1/tenants/${tenant.id}`, { session }))
    expect((await stepUpWith(plane, session, authenticator)).status).toBe(204)
    expectOk(await require())
  })

  test('is asked of operators who write; with a second factor they read for as long as the session lasts', async () => {
    const admin = { adminSecret: plane.adminSecret }
    const [plain, strong] = [await plane.makePerson(), await plane.makePerson()]
    for (const { email } of [plain, strong]) {
      expectOk(await plane.call('POST', '/v1/admin/operators', { ...admin, body: { email } }))
    }
    await addPasskey(plane, strong)
    const read = ({ session }: { session: string }) => plane.call('GET', '/v1/admin/operators', { session })
    const write = ({ session }: { session: string }) =>
      plane.call('POST', '/v1/admin/credentials', { session, body: { name: 'x', scope: 'read' } })
    expect([(await read(strong)).status, (await write(strong)).status]).toEqual([200, 201])
    await makeStale(plane, plain)
    await makeStale(plane, strong)
    expectRefusal(await read(plain), 403, reauthenticate)
    expectOk(await read(strong))
    expectRefusal(await write(strong), 403, reauthenticate)
  })
})
