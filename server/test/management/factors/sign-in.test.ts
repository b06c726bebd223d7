// Signing in with a second factor, with codes and passkeys: what works once, what is bound to whom, what is refused.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { totpCode } from '../../support/simulated/totp-code.ts'
import { type Product, startProduct } from '../../support/start-product.ts'
import { expectOk, expectRefusal, times } from '../requests.ts'
import { addPasskey, addTotp, beginSignIn, forgetCodes, originOf, paths, signInOptions } from './people.ts'

const wrongCode = { error: 'The code is wrong or was used before', code: 'wrong_code' }
const invalidChallenge = {
  error: 'The challenge has expired or was used. Begin again.',
  code: 'challenge_invalid',
}
const refusedPasskey = { error: 'The passkey was not accepted', code: 'passkey_refused' }

describeEachBackend('a sign-in with a second factor', (start, backend) => {
  let plane: ManagementHarness
  let second: Product | null = null
  beforeAll(async () => {
    plane = await start({ own: true })
    if (backend === 'postgres') second = await startProduct({ env: plane.env })
  })
  afterAll(() => second?.stop())

  const prove = (body: unknown) => plane.call('POST', paths.secondFactor, { body })
  /** At both replicas in turn, where there are two. */
  const proveAnywhere = async (index: number, body: unknown) => {
    if (second === null || index % 2 === 0) return (await prove(body)).status
    const headers = { 'content-type': 'application/json' }
    const sent = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await fetch(second.baseUrl + paths.secondFactor, sent)).status
  }

  describe('by a code', () => {
    test('asks for it after the password, and says what the account has', async () => {
      const person = await addTotp(plane, await plane.makePerson())
      const { answer, challenge, methods } = await beginSignIn(plane, person)
      expect([answer.status, answer.body]).toEqual([
        401,
        {
          error: 'Prove a second factor to sign in',
          code: 'second_factor_required',
          challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
          methods: ['totp', 'backup_code'],
        },
      ])
      expect(methods).toHaveLength(2)
      const signedIn = await prove({ challenge, code: totpCode(person.secret) })
      const { session_token: session } = expectOk<{ session_token: string }>(signedIn)
      const [own] = expectOk<{ authenticated_by: string }[]>(
        await plane.call('GET', '/auth/v1/users/current/sessions', { session }),
      )
      expect(own?.authenticated_by).toBe('totp')
    })

    test('takes a code once, in whatever replica', async () => {
      const person = await addTotp(plane, await plane.makePerson())
      const begun = await times(6, () => beginSignIn(plane, person))
      const code = totpCode(person.secret)
      const statuses = await Promise.all(begun.map(({ challenge }, index) => proveAnywhere(index, { challenge, code })))
      expect(statuses.sort()).toEqual([200, 401, 401, 401, 401, 401])
    })

    test('takes a challenge once, in whatever replica', async () => {
      const person = await addTotp(plane, await plane.makePerson())
      const { challenge } = await beginSignIn(plane, person)
      const statuses = await times(6, index =>
        proveAnywhere(index, { challenge, backup_code: person.backupCodes[index] }),
      )
      expect(statuses.sort()).toEqual([200, 401, 401, 401, 401, 401])
      expectRefusal(await prove({ challenge, backup_code: person.backupCodes[7] }), 401, invalidChallenge)
    })

    test('takes each backup code once', async () => {
      const person = await addTotp(plane, await plane.makePerson())
      const backup_code = person.backupCodes[0]?.toUpperCase()
      expectOk(await prove({ challenge: (await beginSignIn(plane, person)).challenge, backup_code }))
      const { challenge } = await beginSignIn(plane, person)
      expectRefusal(await prove({ challenge, backup_code }), 401, wrongCode)
      expect(expectOk(await plane.call('GET', paths.factors, { session: person.session }))).toEqual({
        passkeys: 0,
        totp: true,
        backup_codes_left: 9,
      })
      const stored = await plane.query('select * from backup_codes where user_id = ?', [person.id])
      for (const code of person.backupCodes) expect(JSON.stringify(stored)).not.toContain(code)
      const [secret] = await plane.query<{ ciphertext: string }>('select * from totp_secrets where user_id = ?', [
        person.id,
      ])
      expect(secret?.ciphertext).toMatch(/^v1\./)
      expect(JSON.stringify(secret)).not.toContain(person.secret)
    })

    test('locks after ten wrong codes, parallel ones too, the right one included, but not passkeys', async () => {
      const person = await addTotp(plane, await plane.makePerson())
      const { authenticator } = await addPasskey(plane, person)
      const { challenge } = await beginSignIn(plane, person)
      const statuses = await times(14, index => proveAnywhere(index, { challenge, backup_code: `wrong-${index}` }))
      expect(statuses.filter(status => status === 401)).toHaveLength(10)
      expect(statuses.filter(status => status === 429)).toHaveLength(4)
      const locked = await prove({ challenge, code: totpCode(person.secret) })
      expectRefusal(locked, 429, {
        error: 'Too many wrong codes. Try again later, or use a passkey.',
        code: 'codes_locked',
      })
      expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(880)
      const passkey = authenticator.get({ challenge, rpId: 'localhost' })
      expectOk(await prove({ challenge, passkey }))
    })

    test('is not begun by a challenge of somebody else, an older password, or a link', async () => {
      const [one, other] = await times(2, async () => addTotp(plane, await plane.makePerson()))
      if (one === undefined || other === undefined) throw new Error('nobody')
      const { challenge } = await beginSignIn(plane, one)
      expectRefusal(await prove({ challenge, code: totpCode(other.secret) }), 401, wrongCode)
      const body = { current_password: one.password, new_password: 'another battery staple' }
      expectOk(await plane.call('PUT', '/auth/v1/users/current/password', { session: one.session, body }))
      await forgetCodes(plane, one)
      const late = await prove({ challenge, code: totpCode(one.secret) })
      expectRefusal(late, 401, 'Invalid email or password')
      const link = await plane.call('POST', `/v1/admin/users/${other.id}/reset-link`, {
        adminSecret: plane.adminSecret,
      })
      const token = expectOk<{ reset_url: string }>(link, 201).reset_url.split('#token=')[1]
      const reset = await plane.call('POST', '/auth/v1/password-resets/accept', {
        body: { token, password: 'another battery staple' },
      })
      expect([reset.status, (reset.body as { code: string }).code]).toEqual([401, 'second_factor_required'])
    })

    test.each([
      ['no challenge', { code: '123456' }, 'challenge is required'],
      ['nothing to prove', { challenge: 'x' }, 'Give exactly one of code, backup_code and passkey'],
      [
        'two codes',
        { challenge: 'x', code: '123456', backup_code: 'x' },
        'Give exactly one of code, backup_code and passkey',
      ],
      ['a short code', { challenge: 'x', code: '12345' }, 'code must be six digits'],
      ['an empty passkey', { challenge: 'x', passkey: {} }, 'passkey.id is required'],
    ])('refuses %s', async (_case, body, error) => {
      expectRefusal(await prove(body), 400, error)
    })
  })

  describe('by a passkey', () => {
    test('needs no email, and is the only factor that it takes', async () => {
      const person = await plane.makePerson()
      const { authenticator, answer } = await addPasskey(plane, person)
      expect(expectOk(answer, 201)).toMatchObject({ name: 'Laptop', last_used_at: null })
      const response = authenticator.get(await signInOptions(plane))
      const signedIn = expectOk<{ user: { id: string } }>(
        await plane.call('POST', paths.passkey, { body: { response } }),
      )
      expect(signedIn.user.id).toBe(person.id)
      expectRefusal(await plane.call('POST', paths.passkey, { body: { response } }), 401, invalidChallenge)
      const { challenge, methods } = await beginSignIn(plane, person)
      expect(methods).toEqual(['passkey'])
      expectOk(await prove({ challenge, passkey: authenticator.get({ challenge, rpId: 'localhost' }) }))
    })

    test.each([
      ['another origin', { origin: 'https://evil.example' }],
      ['another RP id', { rpId: 'evil.example' }],
      ['nobody verified', { flags: 0x01 }],
    ])('refuses %s', async (_case, more) => {
      const person = await plane.makePerson()
      const { authenticator } = await addPasskey(plane, person)
      const response = authenticator.get(await signInOptions(plane), more)
      expectRefusal(await plane.call('POST', paths.passkey, { body: { response } }), 401, refusedPasskey)
      const flags = 'flags' in more ? { flags: 0x41 } : {}
      expectRefusal((await addPasskey(plane, person, { ...more, ...flags })).answer, 401, refusedPasskey)
    })

    test('refuses a copy whose counter is behind', async () => {
      const person = await plane.makePerson()
      const { authenticator } = await addPasskey(plane, person)
      const signIn = async () => {
        const response = authenticator.get(await signInOptions(plane))
        return await plane.call('POST', paths.passkey, { body: { response } })
      }
      expectOk(await signIn())
      expectOk(await signIn())
      authenticator.counter -= 2
      expectRefusal(await signIn(), 401, refusedPasskey)
    })

    test('signs in one of several copies with the same counter, also at the same time', async () => {
      const person = await plane.makePerson()
      const { authenticator } = await addPasskey(plane, person)
      const counter = authenticator.counter + 1
      const statuses = await Promise.all(
        Array.from({ length: 8 }, async () => {
          const response = authenticator.get(await signInOptions(plane), { counter })
          return (await plane.call('POST', paths.passkey, { body: { response } })).status
        }),
      )
      expect(statuses.sort()).toEqual([200, ...Array(7).fill(401)])
    })

    test('refuses one of somebody else, for their challenge and under their name', async () => {
      const [one, other] = [await plane.makePerson(), await plane.makePerson()]
      const { authenticator } = await addPasskey(plane, one)
      const others = await addPasskey(plane, other)
      const { challenge } = await beginSignIn(plane, other)
      const passkey = authenticator.get({ challenge, rpId: 'localhost' })
      expectRefusal(await prove({ challenge, passkey }), 401, refusedPasskey)
      const response = authenticator.get(await signInOptions(plane))
      response.response.userHandle = others.authenticator.get({ challenge, rpId: 'localhost' }).response.userHandle
      expectRefusal(await plane.call('POST', paths.passkey, { body: { response } }), 401, refusedPasskey)
    })

    test('is added for the session that asked, once', async () => {
      const person = await plane.makePerson()
      const other = await plane.makePerson()
      const { body, answer } = await addPasskey(plane, person)
      expectOk(answer, 201)
      expectRefusal(await plane.call('POST', paths.passkeys, { session: person.session, body }), 401, invalidChallenge)
      const options = expectOk<{ challenge: string; rp: { id: string }; user: { id: string } }>(
        await plane.call('POST', `${paths.passkeys}/options`, { session: person.session }),
      )
      expect([options.rp.id, originOf(plane)]).toEqual(['localhost', plane.baseUrl.replace('127.0.0.1', 'localhost')])
      const { authenticator } = await addPasskey(plane, other)
      const stolen = { name: 'Mine', response: authenticator.create(options) }
      expectRefusal(
        await plane.call('POST', paths.passkeys, { session: other.session, body: stolen }),
        401,
        invalidChallenge,
      )
    })
  })

  test('costs somebody without a second factor what it cost before', async () => {
    const person = await plane.makePerson()
    const { answer } = await beginSignIn(plane, person)
    expect(answer.status).toBe(200)
    expect(await plane.query('select * from sign_in_challenges where user_id = ?', [person.id])).toEqual([])
  })
})
