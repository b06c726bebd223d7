// What people do with their own accounts: a new password, the list of their sessions; and how an owner or the operator
// lets somebody back in. Every status and message, and what of it ends which sessions.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Answer,
  describeEachBackend,
  type ManagementHarness,
  type Person,
} from '../../support/management-harness.ts'
import { type InProcess, inProcessOwner, startInProcess } from '../../support/management-in-process.ts'
import { newClientAddress } from '../../support/shared-products.ts'
import { expectOk, expectRefusal, unknownId, uuid, type Words } from '../requests.ts'

const mine = '/auth/v1/users/current/sessions'
const passwordPath = '/auth/v1/users/current/password'
const acceptPath = '/auth/v1/password-resets/accept'
const newPassword = 'a new and longer password'

interface Session {
  id: string
  current: boolean
  user_agent: string | null
  address: string | null
}

describeEachBackend('own accounts', start => {
  let plane: ManagementHarness
  beforeAll(async () => {
    plane = await start()
  })
  const isSignedIn = async (session: string) =>
    (await plane.call('GET', '/auth/v1/sessions/current', { session })).status === 200
  const login = (email: string, password: string, headers: Record<string, string> = {}) =>
    plane.call('POST', '/auth/v1/sessions', {
      body: { email, password },
      headers: { 'x-forwarded-for': newClientAddress(), ...headers },
    })

  describe('the password', () => {
    const change = (session: string, body: unknown, address = newClientAddress()) =>
      plane.call('PUT', passwordPath, { session, body, headers: { 'x-forwarded-for': address } })

    test('is changed by who knows it; all other sessions end', async () => {
      const person = await plane.makePerson()
      const other = await plane.signIn(person.email, person.password)
      const stranger = await plane.makePerson()
      const body = { current_password: person.password, new_password: newPassword }
      const changed = await change(person.session, body)
      expect([changed.status, changed.body]).toEqual([
        200,
        { id: person.id, email: person.email, tenants: expect.any(Array) },
      ])
      expect(await Promise.all([person.session, other, stranger.session].map(isSignedIn))).toEqual([true, false, true])
      expectRefusal(await login(person.email, person.password), 401, 'Invalid email or password')
      expectOk(await login(person.email, newPassword))
    })

    test.each<[string, (person: Person) => unknown, number, Words]>([
      ['no body', () => ({}), 400, 'current_password is required'],
      ['no new one', ({ password }) => ({ current_password: password }), 400, 'new_password is required'],
      [
        'a short one',
        ({ password }) => ({ current_password: password, new_password: 'x'.repeat(11) }),
        400,
        'new_password must be at least 12 characters',
      ],
      [
        'a wrong current one',
        () => ({ current_password: 'wrong', new_password: newPassword }),
        401,
        'Invalid current password',
      ],
    ])('is not changed with %s', async (_what, body, status, words) => {
      const person = await plane.makePerson()
      const other = await plane.signIn(person.email, person.password)
      expectRefusal(await change(person.session, body(person)), status, words)
      expect(await isSignedIn(other)).toBe(true)
      expectOk(await login(person.email, person.password))
    })

    test('is guessed ten times, over this route and logins together', async () => {
      const person = await plane.makePerson()
      const wrong = { current_password: 'wrong', new_password: newPassword }
      const address = newClientAddress()
      const at = { 'x-forwarded-for': address }
      for (let guess = 0; guess < 5; guess++) expect((await login(person.email, 'wrong', at)).status).toBe(401)
      for (let guess = 0; guess < 5; guess++) expect((await change(person.session, wrong, address)).status).toBe(401)
      const right = { current_password: person.password, new_password: newPassword }
      const refused = await change(person.session, right, address)
      expectRefusal(refused, 429, 'Too many failed attempts. Try again later.')
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800)
    })

    test('changed by two at once is changed once', async () => {
      const person = await plane.makePerson()
      const second = await plane.signIn(person.email, person.password)
      const bodyOf = (new_password: string) => ({ current_password: person.password, new_password })
      const answers = await Promise.all([
        change(person.session, bodyOf('the first new password')),
        change(second, bodyOf('the second new password')),
      ])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
      expect([await isSignedIn(person.session), await isSignedIn(second)].filter(Boolean)).toHaveLength(1)
    })
  })

  describe('sessions', () => {
    const list = async (session: string) => expectOk<Session[]>(await plane.call('GET', mine, { session }))

    test('are listed newest first, with where they were opened', async () => {
      const person = await plane.makePerson()
      const agent = 'Mozilla/5.0 (X11; Linux) ü'
      const opened = await login(person.email, person.password, {
        'user-agent': Buffer.from(agent).toString('latin1'),
        'x-forwarded-for': '203.0.113.99',
      })
      const { session_token } = expectOk<{ session_token: string }>(opened)
      const sessions = await list(session_token)
      expect(sessions).toHaveLength(2)
      expect(sessions[0]).toEqual({
        id: expect.stringMatching(uuid),
        created_at: expect.stringMatching(/Z$/),
        last_seen_at: expect.stringMatching(/Z$/),
        address: '203.0.113.99',
        user_agent: Buffer.from(agent).toString('latin1'),
        authenticated_by: 'password',
        current: true,
      })
      expect(sessions[1]).toMatchObject({ current: false })
      expect((await list(person.session)).map(({ current }) => current)).toEqual([false, true])
      const one = await plane.call('GET', `${mine}/${sessions[0]?.id}`, { session: person.session })
      expect(expectOk(one)).toMatchObject({ id: sessions[0]?.id, current: false })
      // No part of a token or its digest is shown.
      const stored = await plane.query<{ token_digest: string }>('select token_digest from sessions')
      for (const { token_digest } of stored) expect(opened.text).not.toContain(token_digest.slice(0, 8))
    })

    test('are ended one by one, or all others together', async () => {
      const person = await plane.makePerson()
      const [second, third] = [
        await plane.signIn(person.email, person.password),
        await plane.signIn(person.email, person.password),
      ]
      const id = (await list(second)).find(({ current }) => current)?.id
      const ended = await plane.call('DELETE', `${mine}/${id}`, { session: person.session })
      expect([ended.status, ended.text]).toEqual([204, ''])
      expect(await Promise.all([person.session, second, third].map(isSignedIn))).toEqual([true, false, true])
      expectRefusal(await plane.call('DELETE', `${mine}/${id}`, { session: third }), 404, 'Session not found')
      expect((await plane.call('DELETE', mine, { session: third })).status).toBe(204)
      expect(await Promise.all([person.session, third].map(isSignedIn))).toEqual([false, true])
    })

    test('of others are neither shown nor ended', async () => {
      const [person, other] = [await plane.makePerson(), await plane.makePerson()]
      const [theirs] = await list(person.session)
      for (const method of ['GET', 'DELETE']) {
        for (const id of [theirs?.id, unknownId, 'no-uuid']) {
          const answer = await plane.call(method, `${mine}/${id}`, { session: other.session })
          expectRefusal(answer, 404, 'Session not found')
        }
      }
      await plane.call('DELETE', mine, { session: other.session })
      expect(await isSignedIn(person.session)).toBe(true)
      expect((await list(other.session)).map(({ id }) => id)).not.toContain(theirs?.id)
    })
  })

  describe('a reset link', () => {
    const make = (tenantId: string, userId: string, session = plane.owner.session, headers = {}) =>
      plane.call('POST', `/auth/v1/tenants/${tenantId}/members/${userId}/reset-link`, { session, headers })
    const byOperator = (userId: string, adminSecret = plane.adminSecret) =>
      plane.call('POST', `/v1/admin/users/${userId}/reset-link`, { adminSecret })
    const accept = (token: string | null, password = newPassword, address = newClientAddress()) =>
      plane.call('POST', acceptPath, { body: { token, password }, headers: { 'x-forwarded-for': address } })
    const tokenOf = (answer: Answer) => {
      const { reset_url, ...more } = expectOk<{ reset_url: string }>(answer, 201)
      expect(more).toEqual({})
      expect(reset_url).toMatch(new RegExp(`^http://localhost:${plane.product.port}/reset#token=[A-Za-z0-9_-]{43}$`))
      return new URL(reset_url).hash.slice('#token='.length)
    }
    /** A member of one tenant alone, which the owner owns. */
    const makeMember = async (role: 'owner' | 'member' = 'member') => {
      const tenant = await plane.makeTenant()
      return { tenant, person: await plane.makePerson({ tenantId: tenant.id, role }) }
    }

    test('of an owner sets a new password once, signs in and ends all other sessions', async () => {
      const { tenant, person } = await makeMember()
      const token = tokenOf(await make(tenant.id, person.id))
      const stored = await plane.query('select * from password_resets where user_id = ?', [person.id])
      expect(JSON.stringify(stored)).not.toContain(token)
      const signedIn = expectOk<{ session_token: string }>(await accept(token))
      expect(signedIn).toEqual({
        session_token: expect.stringMatching(/^sess_/),
        token_type: 'Bearer',
        expires_in: 43_200,
        user: { id: person.id, email: person.email, tenants: [expect.objectContaining({ id: tenant.id })] },
      })
      expect(await Promise.all([person.session, signedIn.session_token].map(isSignedIn))).toEqual([false, true])
      expectRefusal(await accept(token), 404, 'Reset link not found')
      expectRefusal(await login(person.email, person.password), 401, 'Invalid email or password')
      expectOk(await login(person.email, newPassword))
    })

    test('of the operator resets anybody', async () => {
      const person = await plane.makePerson()
      const other = await plane.makeTenant({ session: person.session })
      const token = tokenOf(await byOperator(person.id))
      expect(expectOk(await accept(token))).toMatchObject({ user: { id: person.id } })
      expectRefusal(await byOperator(unknownId), 404, 'Not found')
      expectRefusal(await byOperator('no-uuid'), 404, 'Not found')
      expectRefusal(await byOperator(person.id, 'wrong'), 401, 'Invalid admin secret')
      expect(other.id).toMatch(uuid)
    })

    test('is used by one of ten at once', async () => {
      const { tenant, person } = await makeMember()
      const token = tokenOf(await make(tenant.id, person.id))
      const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => accept(token, `${newPassword} ${at}`)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)])
    })

    test('takes the place of the one before', async () => {
      const { tenant, person } = await makeMember()
      const first = tokenOf(await make(tenant.id, person.id))
      const second = tokenOf(await make(tenant.id, person.id))
      expectRefusal(await accept(first), 404, 'Reset link not found')
      expectOk(await accept(second))
    })

    test('is dead once the password was changed', async () => {
      const { tenant, person } = await makeMember()
      const token = tokenOf(await make(tenant.id, person.id))
      const body = { current_password: person.password, new_password: newPassword }
      expectOk(await plane.call('PUT', passwordPath, { session: person.session, body }))
      expectRefusal(await accept(token), 404, 'Reset link not found')
    })

    test.each(['member', 'viewer'] as const)('is not made by a %s', async role => {
      const { tenant, person } = await makeMember()
      const other = await plane.makePerson({ tenantId: tenant.id, role })
      expectRefusal(await make(tenant.id, person.id, other.session), 403, 'Forbidden')
      expectRefusal(await make(tenant.id, other.id, other.session), 403, 'Forbidden')
    })

    test('is not made for whom the tenant has not', async () => {
      const { tenant } = await makeMember()
      const elsewhere = await plane.makePerson()
      for (const id of [elsewhere.id, unknownId, 'no-uuid']) {
        expectRefusal(await make(tenant.id, id), 404, 'Not found')
      }
    })

    test('is the operator’s to make unless this tenant’s invitation made the account, which never left it', async () => {
      const words = 'Only the operator can reset this account'
      const founder = await makeMember()
      await plane.makeTenant({ session: founder.person.session })
      expectRefusal(await make(founder.tenant.id, founder.person.id), 403, words)
      // Belonging to two tenants of one owner is enough, and leaving the first one changes nothing.
      const { tenant, person } = await makeMember()
      const second = await plane.makeTenant()
      await plane.join(second.id, person, 'member')
      expectRefusal(await make(tenant.id, person.id), 403, words)
      expectRefusal(await make(second.id, person.id), 403, words)
      const path = `/auth/v1/tenants/${tenant.id}/members/${person.id}`
      expectOk(await plane.call('DELETE', path, { session: plane.owner.session }), 204)
      expectRefusal(await make(second.id, person.id), 403, words)
      // An account that belonged to no tenant for a while is not made by the next one that it joins.
      await plane.call('DELETE', `/auth/v1/tenants/${second.id}/members/${person.id}`, { session: person.session })
      const mallory = await plane.makePerson()
      const hers = await plane.makeTenant({ session: mallory.session })
      await plane.join(hers.id, person, 'viewer', mallory.session)
      expectRefusal(await make(hers.id, person.id, mallory.session), 403, words)
      // Its own tenant may reset it again only if it came back there alone.
      expectOk(await accept(tokenOf(await byOperator(person.id))))
    })

    test('is dead once the account joined another tenant, or left this one', async () => {
      const { tenant, person } = await makeMember()
      const token = tokenOf(await make(tenant.id, person.id))
      await plane.makeTenant({ session: person.session })
      expectRefusal(await accept(token), 404, 'Reset link not found')
      const leaving = await makeMember()
      const second = tokenOf(await make(leaving.tenant.id, leaving.person.id))
      const path = `/auth/v1/tenants/${leaving.tenant.id}/members/${leaving.person.id}`
      expect((await plane.call('DELETE', path, { session: plane.owner.session })).status).toBe(204)
      expectRefusal(await accept(second), 404, 'Reset link not found')
    })

    test.each(['removed', 'made a member'])('is dead once an owner is %s', async how => {
      const { tenant, person } = await makeMember()
      const leaving = await plane.makePerson({ tenantId: tenant.id, role: 'owner' })
      const token = tokenOf(await make(tenant.id, person.id, leaving.session))
      const path = `/auth/v1/tenants/${tenant.id}/members/${leaving.id}`
      const { session } = plane.owner
      if (how === 'removed') await plane.call('DELETE', path, { session })
      else expectOk(await plane.call('PATCH', path, { session, body: { role: 'member' } }))
      expectRefusal(await accept(token), 404, 'Reset link not found')
    })

    test('is answered once for an Idempotency-Key', async () => {
      const { tenant, person } = await makeMember()
      const key = { 'idempotency-key': 'reset-once' }
      tokenOf(await make(tenant.id, person.id, plane.owner.session, key))
      expect((await make(tenant.id, person.id, plane.owner.session, key)).status).toBe(409)
    })

    test.each<[string, unknown, number, Words]>([
      ['no token', { password: newPassword }, 400, 'token is required'],
      ['no password', { token: 'x' }, 400, 'password is required'],
      ['a short password', { token: 'x', password: 'short' }, 400, 'password must be at least 12 characters'],
      ['an unknown token', { token: 'x', password: newPassword }, 404, 'Reset link not found'],
    ])('is not accepted with %s', async (_what, body, status, words) => {
      const headers = { 'x-forwarded-for': newClientAddress() }
      expectRefusal(await plane.call('POST', acceptPath, { body, headers }), status, words)
    })

    test('is guessed ten times from an address', async () => {
      const { tenant, person } = await makeMember()
      const token = tokenOf(await make(tenant.id, person.id))
      const address = newClientAddress()
      for (let guess = 0; guess < 10; guess++) expect((await accept('x', newPassword, address)).status).toBe(404)
      expectRefusal(await accept(token, newPassword, address), 429, 'Too many failed attempts. Try again later.')
      expectOk(await accept(token))
    })
  })
})

describe('the clock of accounts', () => {
  let plane: InProcess
  /** Called before each password is hashed. */
  let onHash: () => void = () => undefined
  beforeAll(async () => {
    plane = await startInProcess(
      {},
      {
        hold: real => ({
          ...real,
          hash(password) {
            onHash()
            return real.hash(password)
          },
        }),
      },
    )
  })
  afterAll(() => plane.stop())

  test('a link lives an hour, and an unknown one costs no hash', async () => {
    const { management, clock } = plane
    const { id } = await management.sql.selectFrom('users').select('id').executeTakeFirstOrThrow()
    const make = async () => {
      const headers = { 'x-admin-secret': management.settings.adminSecret }
      const made = await plane.call('POST', `/v1/admin/users/${id}/reset-link`, { headers })
      return new URL(String(made.body['reset_url'])).hash.slice('#token='.length)
    }
    const accept = (token: string | null) =>
      plane.call('POST', acceptPath, { body: { token, password: inProcessOwner.password } })
    const [first] = [await make()]
    clock.advance(60 * 60 * 1000)
    const before = plane.hashes()
    expect((await accept(first)).status).toBe(404)
    expect(plane.hashes()).toBe(before)
    const second = await make()
    clock.advance(60 * 60 * 1000 - 1)
    expect((await accept(second)).status).toBe(200)
    // The hash takes time, in which the hour may end.
    const third = await make()
    clock.advance(60 * 60 * 1000 - 1)
    onHash = () => clock.advance(1)
    expect((await accept(third)).status).toBe(404)
    onHash = () => undefined
  })

  test('last_seen_at follows within a minute, and is not written more often', async () => {
    const token = await plane.signIn()
    const read = async () => {
      const { body } = await plane.call('GET', mine, { token })
      return (body as unknown as { current: boolean; last_seen_at: string }[]).find(({ current }) => current)
        ?.last_seen_at
    }
    const opened = plane.clock.now()
    plane.clock.advance(59_999)
    expect(await read()).toBe(new Date(opened).toISOString())
    plane.clock.advance(1)
    expect(await read()).toBe(new Date(opened + 60_000).toISOString())
  })
})
