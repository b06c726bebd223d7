// Signing in, being somebody, signing out: every status and message, the lockout under parallel guesses, and the time
// that an unknown email costs.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness, startManagement } from '../../support/management-harness.ts'
import { type InProcess, inProcessOwner, startInProcess } from '../../support/management-in-process.ts'
import { newClientAddress } from '../../support/shared-products.ts'
import { type Product, startProduct } from '../../support/start-product.ts'

const sessions = '/auth/v1/sessions'
const current = '/auth/v1/sessions/current'
const minuteMs = 60_000

describeEachBackend('sessions', start => {
  let plane: ManagementHarness
  beforeAll(async () => {
    plane = await start()
  })

  /** Everybody comes from an address of their own, so that one test's failures are not another's. */
  const login = (body: unknown, address = newClientAddress()) =>
    plane.call('POST', sessions, { body, headers: { 'x-forwarded-for': address } })

  test('answers a login with a session, who it is and the tenants', async () => {
    const tenant = await plane.makeTenant({ plan: 'pro' })
    const person = await plane.makePerson({ tenantId: tenant.id, role: 'viewer' })
    const permissions = ['project:read', 'billing:read', 'guardrails:read']
    const answer = await login({ email: ` ${person.email.toUpperCase()} `, password: person.password })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      session_token: expect.stringMatching(/^sess_[A-Za-z0-9_-]{43}$/),
      token_type: 'Bearer',
      expires_in: 43_200,
      user: {
        id: person.id,
        email: person.email,
        tenants: [{ id: tenant.id, name: tenant.name, plan: 'pro', role: 'viewer', permissions }],
      },
    })
    const { session_token, user } = answer.body as { session_token: string; user: unknown }
    const me = await plane.call('GET', current, { session: session_token })
    expect([me.status, me.body]).toEqual([200, user])
    const stored = await plane.query('select token_digest from sessions where user_id = ?', [person.id])
    expect(JSON.stringify(stored)).not.toContain(session_token.slice(5))
  })

  test.each([
    ['no body', undefined, 400, 'email is required'],
    ['no email', { password: 'x' }, 400, 'email is required'],
    ['an email that is no text', { email: 7, password: 'x' }, 400, 'email is required'],
    ['no password', { email: 'a@b.c' }, 400, 'password is required'],
    ['an unknown email', { email: 'nobody@example.com', password: 'correct horse' }, 401, 'Invalid email or password'],
    ['a wrong password', { email: 'owner@example.com', password: 'correct horse' }, 401, 'Invalid email or password'],
    ['an empty password', { email: 'owner@example.com', password: '' }, 401, 'Invalid email or password'],
    ['an endless email', { email: 'a'.repeat(100_000), password: 'x' }, 401, 'Invalid email or password'],
    ['a NUL in the email', { email: 'a\0@b.c', password: 'x' }, 400, 'Text must not contain NUL characters'],
  ])('refuses %s', async (_case, body, status, error) => {
    const answer = await login(body)
    expect([answer.status, answer.body]).toEqual([status, { error }])
  })

  test.each([
    ['no header', undefined, 'Bearer token required'],
    ['another scheme', 'Basic b3duZXI6eA==', 'Bearer token required'],
    ['a lower-case scheme', 'bearer sess_x', 'Bearer token required'],
    ['no token', 'Bearer ', 'Bearer token required'],
    ['an unknown session', `Bearer sess_${'A'.repeat(43)}`, 'Invalid session'],
    ['something else', 'Bearer eyJhbGciOiJub25lIn0.e30.', 'Invalid session'],
    ['an API key', `Bearer service_sk_live_${'0'.repeat(32)}`, 'Invalid session'],
  ])('refuses %s', async (_case, authorization, error) => {
    for (const method of ['GET', 'DELETE']) {
      const answer = await plane.call(method, current, {
        headers: authorization === undefined ? {} : { authorization },
      })
      expect([answer.status, answer.body]).toEqual([401, { error }])
    }
  })

  test('ends one session and leaves the others', async () => {
    const person = await plane.makePerson()
    const [first, second] = [await plane.signIn(person.email, person.password), person.session]
    const ended = await plane.call('DELETE', current, { session: first })
    expect([ended.status, ended.text]).toEqual([204, ''])
    for (const method of ['GET', 'DELETE']) {
      expect((await plane.call(method, current, { session: first })).body).toEqual({ error: 'Invalid session' })
    }
    expect((await plane.call('GET', current, { session: second })).status).toBe(200)
  })

  test('refuses an email from a network after ten failures there, the right password too, and no other', async () => {
    const person = await plane.makePerson()
    const address = newClientAddress()
    for (let failure = 0; failure < 10; failure++) {
      expect((await login({ email: person.email, password: 'wrong' }, address)).status).toBe(401)
    }
    const right = { email: person.email.toUpperCase(), password: person.password }
    const refused = await login(right, address)
    expect([refused.status, refused.body]).toEqual([429, { error: 'Too many failed attempts. Try again later.' }])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(900)
    expect((await plane.call('GET', current, { session: person.session })).status).toBe(200)
    expect((await login(right)).status).toBe(200)
  })

  test('slows an email down after ten failures from anywhere, known or not, but not where it signed in before', async () => {
    const person = await plane.makePerson()
    const home = newClientAddress()
    expect((await login(person, home)).status).toBe(200)
    for (const email of [person.email, `nobody-${person.email}`]) {
      const failing = Array.from({ length: 10 }, () => login({ email, password: 'wrong' }))
      expect(new Set((await Promise.all(failing)).map(({ status }) => status))).toEqual(new Set([401]))
      const slow = await login({ email, password: 'wrong' })
      expect([slow.status, slow.tookMs >= 2_000]).toEqual([401, true])
    }
    const stranger = await login(person)
    expect([stranger.status, stranger.tookMs >= 2_000]).toEqual([200, true])
    // Compared with the same work elsewhere, since a busy machine is slow everywhere.
    const atHome = await login(person, home)
    expect(atHome.status).toBe(200)
    expect(atHome.tookMs).toBeLessThan(stranger.tookMs)
  })

  test.each([
    ['an IPv4 address', () => '203.0.113.7', () => '203.0.113.8'],
    ['an IPv6 network', () => `2001:db8:0:1::${randomBytes(2).toString('hex')}`, () => '2001:db8:0:2::1'],
  ])('refuses %s after ten failures over any emails, and no other', async (_case, same, other) => {
    const person = await plane.makePerson()
    for (let failure = 0; failure < 10; failure++) {
      expect((await login({ email: `nobody${failure}@example.com`, password: 'wrong' }, same())).status).toBe(401)
    }
    expect((await login({ email: person.email, password: person.password }, same())).status).toBe(429)
    expect((await login({ email: person.email, password: person.password }, other())).status).toBe(200)
  })

  test('lets fifty parallel guesses try ten times', async () => {
    const person = await plane.makePerson()
    const address = newClientAddress()
    const guess = (_: unknown, at: number) => login({ email: person.email, password: `guess ${at}` }, address)
    const guesses = Array.from({ length: 50 }, guess)
    const statuses = (await Promise.all(guesses)).map(answer => answer.status)
    expect(statuses.filter(status => status === 401)).toHaveLength(10)
    expect(statuses.filter(status => status === 429)).toHaveLength(40)
  })

  test('lets thirty right logins at once through, from one address and of one email', async () => {
    const person = await plane.makePerson()
    const address = newClientAddress()
    const logins = Array.from({ length: 30 }, () => login({ email: person.email, password: person.password }, address))
    expect(new Set((await Promise.all(logins)).map(answer => answer.status))).toEqual(new Set([200]))
  })
})

describe('the clock of sessions', () => {
  let plane: InProcess
  beforeAll(async () => {
    plane = await startInProcess()
  })
  afterAll(() => plane.stop())

  const login = (password: string) => plane.call('POST', sessions, { body: { ...inProcessOwner, password } })

  test('ends a session after twelve hours, not before', async () => {
    const token = await plane.signIn()
    plane.clock.advance(12 * 60 * minuteMs - 1)
    expect((await plane.call('GET', current, { token })).status).toBe(200)
    plane.clock.advance(1)
    expect(await plane.call('GET', current, { token })).toMatchObject({
      status: 401,
      body: { error: 'Invalid session' },
    })
  })

  test('refuses without a hash after ten failures, for fifteen minutes, and gives successes back', async () => {
    for (let attempt = 0; attempt < 9; attempt++) expect((await login('wrong')).status).toBe(401)
    for (let attempt = 0; attempt < 5; attempt++) expect((await login(inProcessOwner.password)).status).toBe(200)
    expect((await login('wrong')).status).toBe(401)
    const before = plane.hashes()
    expect((await login(inProcessOwner.password)).status).toBe(429)
    plane.clock.advance(14 * minuteMs)
    expect((await login(inProcessOwner.password)).status).toBe(429)
    expect(plane.hashes()).toBe(before)
    plane.clock.advance(minuteMs)
    expect((await login(inProcessOwner.password)).status).toBe(200)
  })

  test('hashes ten times under two hundred parallel guesses', async () => {
    plane.clock.advance(15 * minuteMs)
    const before = plane.hashes()
    await Promise.all(Array.from({ length: 200 }, (_, guess) => login(`guess ${guess}`)))
    expect(plane.hashes() - before).toBe(10)
  })

  test('takes as long for an unknown email as for a known one', async () => {
    // Processor time: what else runs on the machine does not change it.
    const micros = { known: 0, unknown: 0 }
    const hashed = { known: 0, unknown: 0 }
    for (let round = 0; round < 18; round++) {
      plane.clock.advance(16 * minuteMs)
      for (const name of ['known', 'unknown'] as const) {
        const email = name === 'known' ? inProcessOwner.email : `n${round}@example.com`
        const [begun, before] = [process.cpuUsage(), plane.hashes()]
        await plane.call('POST', sessions, { body: { email, password: 'wrong password' } })
        const { user, system } = process.cpuUsage(begun)
        micros[name] += user + system
        hashed[name] += plane.hashes() - before
      }
    }
    expect(hashed).toEqual({ known: 18, unknown: 18 })
    expect(micros.unknown / micros.known).toBeGreaterThan(0.6)
    expect(micros.unknown / micros.known).toBeLessThan(1.6)
  })
})

describe('two copies on one PostgreSQL', () => {
  let plane: ManagementHarness
  let copy: Product
  beforeAll(async () => {
    plane = await startManagement('postgres', { own: true })
    copy = await startProduct({ env: plane.env })
  })
  afterAll(async () => {
    await copy.stop()
    await plane.stop()
  })

  const atCopy = (method: string, session: string) =>
    fetch(copy.baseUrl + current, { method, headers: { authorization: `Bearer ${session}` } })

  test('end a session on both at once', async () => {
    for (let round = 0; round < 5; round++) {
      const session = await plane.signIn(plane.owner.email, plane.owner.password)
      expect((await atCopy('GET', session)).status).toBe(200)
      expect((await plane.call('DELETE', current, { session })).status).toBe(204)
      expect((await atCopy('GET', session)).status).toBe(401)
    }
  })

  test('count failures together', async () => {
    const person = await plane.makePerson()
    const guess = (baseUrl: string, password: string) =>
      fetch(baseUrl + sessions, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: person.email, password }),
      })
    const guesses = Array.from({ length: 30 }, (_, index) =>
      guess([plane, copy][index % 2]?.baseUrl ?? '', `no ${index}`),
    )
    const statuses = (await Promise.all(guesses)).map(answer => answer.status)
    expect(statuses.filter(status => status === 401)).toHaveLength(10)
  })
})
