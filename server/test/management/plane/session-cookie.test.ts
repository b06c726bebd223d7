// A browser's session in a cookie: how it is set and cleared, that it reads like a token and writes only with the
// header that no other site's page can send.
import { beforeAll, describe, expect, test } from 'vitest'
import { createSessionCookie } from '../../../src/management/plane/session-cookie.ts'
import { type Answer, describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { expectOk, expectRefusal } from '../requests.ts'

const sessions = '/auth/v1/sessions'
const current = `${sessions}/current`

test('over https the cookie is of this host alone', () => {
  const cookie = createSessionCookie('https://gate.example.com')
  expect(cookie.set('sess_x', 43_200)).toBe(
    '__Host-sallyport=sess_x; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure',
  )
  expect(cookie.read('a=b; __Host-sallyport=sess_x')).toBe('sess_x')
  expect(cookie.read('sallyport=sess_x')).toBeNull()
})

test.each([
  [undefined, null],
  ['', null],
  ['sallyport=', null],
  ['xsallyport=sess_x', null],
  ['Sallyport=sess_x', null],
  ['sallyport=sess_x', 'sess_x'],
  ['a=b;sallyport=sess_x;c', 'sess_x'],
  ['sallyport=sess_x; sallyport=sess_y', null],
])('of %j it reads %j', (header, expected) => {
  expect(createSessionCookie('http://localhost:8080').read(header)).toBe(expected)
})

describeEachBackend('a session in a cookie', start => {
  let plane: ManagementHarness
  beforeAll(async () => {
    plane = await start()
  })
  const login = async (query = '?cookie=true') => {
    const { email, password } = await plane.makePerson()
    return await plane.call('POST', `${sessions}${query}`, { body: { email, password } })
  }
  const cookieOf = (answer: Answer) => answer.headers.get('set-cookie')?.split(';')[0] ?? ''
  const open = async () => cookieOf(await login())
  const send = (method: string, path: string, cookie: string, more: { body?: unknown; headers?: object } = {}) =>
    plane.call(method, path, { ...more, headers: { cookie, ...more.headers } })
  const written = { 'x-sallyport': '1' }
  const words = 'A request with a session cookie needs the header X-Sallyport: 1'

  test('is set, and the answer has no token', async () => {
    const answer = await login()
    expect(answer.headers.get('set-cookie')).toMatch(
      /^sallyport=sess_[A-Za-z0-9_-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    )
    expect(expectOk(answer)).toEqual({
      expires_in: 43_200,
      user: { id: expect.any(String), email: expect.any(String), tenants: expect.any(Array) },
    })
    expect(answer.text).not.toContain('sess_')
  })

  test.each(['', '?cookie=false'])('is not set for %j', async query => {
    const answer = await login(query)
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(expectOk(answer)).toHaveProperty('session_token')
  })

  test.each(['?cookie=1', '?cookie=', '?cookie=true&cookie=true'])('is refused for %s', async query => {
    expectRefusal(await login(query), 400, 'cookie must be true or false')
  })

  test('is not set for a wrong password', async () => {
    const body = { email: plane.owner.email, password: 'wrong' }
    const answer = await plane.call('POST', `${sessions}?cookie=true`, { body })
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([401, null])
  })

  test('is set by an accepted invitation and by a reset link too', async () => {
    const { id } = await plane.makeTenant()
    const email = `cookie-${id}@example.com`
    const invited = await plane.call('POST', `/auth/v1/tenants/${id}/members`, {
      session: plane.owner.session,
      body: { email, role: 'member' },
    })
    const tokenIn = (answer: Answer, field: string) =>
      new URL(String((answer.body as Record<string, unknown>)[field])).hash.slice('#token='.length)
    const accept = (path: string, token: string | null) =>
      plane.call('POST', `${path}?cookie=true`, { body: { token, password: 'correct horse battery staple' } })
    const joined = await accept('/auth/v1/invitations/accept', tokenIn(invited, 'invite_url'))
    const me = expectOk<{ id: string }>(await send('GET', current, cookieOf(joined)))
    const link = await plane.call('POST', `/v1/admin/users/${me.id}/reset-link`, { adminSecret: plane.adminSecret })
    const back = await accept('/auth/v1/password-resets/accept', tokenIn(link, 'reset_url'))
    expect(expectOk<{ id: string }>(await send('GET', current, cookieOf(back))).id).toBe(me.id)
    expect((await send('GET', current, cookieOf(joined))).status).toBe(401)
  })

  test('reads without the header and writes with it alone', async () => {
    const cookie = await open()
    expectOk(await send('GET', current, cookie))
    const create = (headers: object) => send('POST', '/auth/v1/tenants', cookie, { body: { name: 'x' }, headers })
    for (const headers of [{}, { 'x-sallyport': '' }, { 'x-sallyport': 'true' }, { 'x-sallyport': '1, 1' }]) {
      expectRefusal(await create(headers), 403, words)
    }
    const { id } = expectOk<{ id: string }>(await create(written), 201)
    for (const [method, path] of [
      ['PUT', '/auth/v1/users/current/password'],
      ['PATCH', `/auth/v1/tenants/${id}`],
      ['DELETE', `/auth/v1/tenants/${id}`],
      ['DELETE', current],
    ] as const) {
      expectRefusal(await send(method, path, cookie, { body: {} }), 403, words)
    }
    expectOk(await send('PATCH', `/auth/v1/tenants/${id}`, cookie, { body: { name: 'y' }, headers: written }))
  })

  test('is no other session than its own: a token in the header comes first', async () => {
    const cookie = await open()
    const { session } = plane.owner
    const me = await send('GET', current, cookie, { headers: { authorization: `Bearer ${session}` } })
    expect(expectOk<{ id: string }>(me).id).toBe(plane.owner.id)
    expectRefusal(
      await send('GET', current, cookie, { headers: { authorization: 'Bearer sess_x' } }),
      401,
      'Invalid session',
    )
    // Without the cookie no header is asked for.
    expectOk(await plane.call('POST', '/auth/v1/tenants', { session, body: { name: 'x' } }), 201)
  })

  test('ends, and the browser is told to forget it', async () => {
    const cookie = await open()
    const ended = await send('DELETE', current, cookie, { headers: written })
    expect([ended.status, ended.headers.get('set-cookie')]).toEqual([
      204,
      'sallyport=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
    ])
    expectRefusal(await send('GET', current, cookie), 401, 'Invalid session')
    expectRefusal(await send('POST', '/auth/v1/tenants', cookie, { body: { name: 'x' } }), 401, 'Invalid session')
    const other = await plane.signIn(plane.owner.email, plane.owner.password)
    const byToken = await plane.call('DELETE', current, { session: other })
    expect([byToken.status, byToken.headers.get('set-cookie')]).toEqual([204, null])
  })

  describe('opens nothing', () => {
    test.each<[string, (cookie: string) => string]>([
      ['under another name', cookie => cookie.replace('sallyport=', 'session=')],
      ['under the name that https has', cookie => cookie.replace('sallyport=', '__Host-sallyport=')],
      ['twice', cookie => `${cookie}; ${cookie}`],
    ])('%s', async (_how, changed) => {
      expectRefusal(await send('GET', current, changed(await open())), 401, 'Bearer token required')
    })

    test('of the operator’s, and mints nothing', async () => {
      const cookie = await open()
      expectRefusal(await send('GET', '/v1/admin/tenants', cookie), 401, 'Invalid admin secret')
      const minting = await send('POST', '/auth/v1/auth/mint', cookie, { body: { user_id: 'u' }, headers: written })
      expectRefusal(minting, 401, 'Bearer token required')
    })
  })
})
