// A program without a browser is signed in by a person who sees what asks (RFC 8628).
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness, type Person } from '../../support/management-harness.ts'
import { expectOk, expectRefusal } from '../requests.ts'

interface Codes {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete: string
}

const thirtyDays = 30 * 24 * 60 * 60

describeEachBackend('the sign-in of a device', start => {
  let plane: ManagementHarness
  let person: Person
  beforeAll(async () => {
    plane = await start()
  })
  beforeEach(async () => {
    person = await plane.makePerson()
  })

  let asked = 0
  /** Each from a network of its own, unless the limit is the subject. */
  const ask = async (address = `10.20.${Math.floor(asked / 250)}.${asked++ % 250}`) =>
    await plane.call('POST', '/auth/v1/device/code', {
      body: { client_name: 'sallyport on build-7' },
      headers: { 'x-forwarded-for': address },
    })
  const begin = async () => expectOk<Codes>(await ask())
  const poll = (deviceCode: string) =>
    plane.call('POST', '/auth/v1/device/token', { body: { device_code: deviceCode } })
  const decide = (word: 'approve' | 'deny', userCode: string, session = person.session) =>
    plane.call('POST', `/auth/v1/device/${word}`, { session, body: { user_code: userCode } })
  /** As if the program had waited between two polls. */
  const wait = () => plane.query('update device_requests set polled_at = null where ? = ?', ['1', '1'])

  test('begins after a person has seen what asks, and lasts 30 days among the other sessions', async () => {
    const codes = await begin()
    expect(codes).toMatchObject({
      expires_in: 600,
      interval: 5,
      user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
    })
    expect(codes.verification_uri_complete).toBe(`${codes.verification_uri}#code=${codes.user_code}`)
    const shown = await plane.call('GET', `/auth/v1/device?user_code=${codes.user_code}`, { session: person.session })
    expect(expectOk(shown)).toMatchObject({ client_name: 'sallyport on build-7' })
    const typed = codes.user_code.toLowerCase().replace('-', ' ')
    expectOk(await decide('approve', typed), 204)
    const token = expectOk<{ access_token: string; expires_in: number }>(await poll(codes.device_code))
    expect(token).toMatchObject({ token_type: 'Bearer', expires_in: thirtyDays })
    const session = token.access_token
    expect(expectOk(await plane.call('GET', '/auth/v1/sessions/current', { session }))).toMatchObject({ id: person.id })
    const listed = await plane.call('GET', '/auth/v1/users/current/sessions', { session: person.session })
    const [own] = expectOk<{ id: string; user_agent: string }[]>(listed).filter(
      ({ user_agent: name }) => name === 'sallyport on build-7',
    )
    expectOk(await plane.call('DELETE', `/auth/v1/users/current/sessions/${own?.id}`, { session: person.session }), 204)
    expectRefusal(await plane.call('GET', '/auth/v1/sessions/current', { session }), 401, 'Invalid session')
  })

  test('waits, is told to slow down, and is refused as RFC 8628 says', async () => {
    const { device_code: deviceCode, user_code: userCode } = await begin()
    expect((await poll(deviceCode)).body).toMatchObject({ error: 'authorization_pending' })
    expect((await poll(deviceCode)).body).toMatchObject({ error: 'slow_down' })
    expectOk(await decide('deny', userCode), 204)
    expect((await poll(deviceCode)).body).toMatchObject({ error: 'access_denied' })
    expect((await poll('unknown')).body).toMatchObject({ error: 'expired_token' })
    const expired = await begin()
    await plane.query('update device_requests set expires_at = 1 where state = ?', ['pending'])
    expect((await poll(expired.device_code)).body).toMatchObject({ error: 'expired_token' })
    expectRefusal(await decide('approve', expired.user_code), 404, 'This code is not valid, was used, or has expired')
  })

  test('happens once, also for two that poll at the same time', async () => {
    const { device_code: deviceCode, user_code: userCode } = await begin()
    expectOk(await decide('approve', userCode), 204)
    expect((await decide('approve', userCode)).status).toBe(404)
    const both = await Promise.all([poll(deviceCode), wait().then(() => poll(deviceCode))])
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
    await wait()
    expect((await poll(deviceCode)).body).toMatchObject({ error: 'expired_token' })
  })

  test('is refused if the approving session has ended meanwhile', async () => {
    const { device_code: deviceCode, user_code: userCode } = await begin()
    expectOk(await decide('approve', userCode), 204)
    const body = { current_password: person.password, new_password: 'another battery staple' }
    const other = await plane.signIn(person.email, person.password)
    expect((await plane.call('PUT', '/auth/v1/users/current/password', { session: other, body })).status).toBeLessThan(
      300,
    )
    expect((await poll(deviceCode)).body).toMatchObject({ error: 'access_denied' })
  })

  test('is all that the approving session is, and no more', async () => {
    const { device_code: deviceCode, user_code: userCode } = await begin()
    await plane.query('update sessions set authenticated_at = 12345 where user_id = ?', [person.id])
    expectOk(await decide('approve', userCode), 204)
    expectOk(await poll(deviceCode))
    const rows = await plane.query<{ authenticated_at: number; authenticated_by: string }>(
      'select authenticated_at, authenticated_by from sessions where user_id = ?',
      [person.id],
    )
    expect(rows.length).toBeGreaterThan(1)
    expect(new Set(rows.map(row => `${row.authenticated_by} ${row.authenticated_at}`)).size).toBe(1)
  })

  test('stops those who guess codes, and those who ask for too many', async () => {
    for (let tries = 0; tries < 10; tries++) expect((await decide('approve', 'BCDF-GHJK')).status).toBe(404)
    const { user_code: userCode } = await begin()
    expect((await decide('approve', userCode)).status).toBe(429)
    const other = await plane.makePerson()
    expectOk(await decide('approve', userCode, other.session), 204)
    for (let tries = 0; tries < 10; tries++) expectOk(await ask('10.30.0.1'))
    expect((await ask('10.30.0.1')).status).toBe(429)
  })

  test('keeps neither code as it was given', async () => {
    const { device_code: deviceCode, user_code: userCode } = await begin()
    const stored = JSON.stringify(await plane.query('select * from device_requests where state = ?', ['pending']))
    expect(stored).not.toContain(deviceCode)
    expect(stored).not.toContain(userCode)
  })
})
