// Who the operator is: ADMIN_SECRET, a credential in its place, or a person who has just signed in.
import { beforeAll, describe, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { expectOk, expectRefusal, unknownId } from '../requests.ts'

const credentials = '/v1/admin/credentials'
const operators = '/v1/admin/operators'
const read = '/v1/admin/tenants'
const reauthenticate = { error: 'Sign in again to use this route', code: 'reauthenticate' }

interface Made {
  id: string
  secret: string
}

describeEachBackend('operators', start => {
  let plane: ManagementHarness
  beforeAll(async () => {
    plane = await start({ own: true })
  })

  const asRoot = (method: string, path: string, body?: unknown) =>
    plane.call(method, path, { adminSecret: plane.adminSecret, body })
  const make = async (scope: 'read' | 'write', more: object = {}): Promise<Made> =>
    expectOk<Made>(await asRoot('POST', credentials, { name: 'Terraform', scope, ...more }), 201)
  const setPlan = async (credential: { adminSecret?: string; session?: string; headers?: Record<string, string> }) => {
    const { id } = await plane.makeTenant()
    return await plane.call('PUT', `/v1/admin/tenants/${id}/plan`, { ...credential, body: { plan: 'pro' } })
  }

  describe('a credential', () => {
    test('is shown once, listed without its secret, and ends with its deletion', async () => {
      const { id, secret } = await make('read')
      expect(secret).toMatch(/^op_[A-Za-z0-9_-]{43}$/)
      const { data } = expectOk<{ data: { id: string }[] }>(await asRoot('GET', credentials))
      expect(data.find(one => one.id === id)).toEqual({
        id,
        name: 'Terraform',
        scope: 'read',
        hint: secret.slice(-4),
        expires_at: null,
        created_at: expect.any(String),
        created_by: 'operator',
      })
      const rows = await plane.query('select * from operator_credentials')
      expect(JSON.stringify(rows)).not.toContain(secret.slice(3))
      expect((await plane.call('GET', read, { adminSecret: secret })).status).toBe(200)
      expect((await asRoot('DELETE', `${credentials}/${id}`)).status).toBe(204)
      expectRefusal(await plane.call('GET', read, { adminSecret: secret }), 401, 'Invalid admin secret')
      expectRefusal(await asRoot('DELETE', `${credentials}/${id}`), 404, 'Not found')
    })

    test('comes before older ones, on the page and from page to page', async () => {
      const made: string[] = []
      for (const at of [3, 1, 2]) {
        const { id } = await make('read')
        // Later than those of other tests.
        await plane.query('update operator_credentials set created_at = ? where id = ?', [9e12 + at, id])
        made.push(id)
      }
      interface Page {
        data: { id: string }[]
        next_cursor: string | null
      }
      const first = expectOk<Page>(await asRoot('GET', `${credentials}?limit=2`))
      const second = expectOk<Page>(await asRoot('GET', `${credentials}?limit=1&cursor=${first.next_cursor}`))
      expect([...first.data, ...second.data].map(({ id }) => id)).toEqual([made[0], made[2], made[1]])
      for (const id of made) await asRoot('DELETE', `${credentials}/${id}`)
    })

    test('reads, or writes too, until it expires', async () => {
      const [reading, writing] = [await make('read'), await make('write')]
      const refused = { error: 'This credential may only read', code: 'credential_reads_only' }
      expectRefusal(await setPlan({ adminSecret: reading.secret }), 403, refused)
      expect((await setPlan({ adminSecret: writing.secret })).status).toBe(200)
      await plane.query('update operator_credentials set expires_at = 1 where id = ?', [writing.id])
      expectRefusal(await setPlan({ adminSecret: writing.secret }), 401, 'Invalid admin secret')
    })

    test('manages neither credentials nor operators', async () => {
      const { id, secret: adminSecret } = await make('write')
      const words = 'Only ADMIN_SECRET and operators may use this route'
      for (const [method, path, body] of [
        ['GET', credentials, undefined],
        ['POST', credentials, { name: 'x', scope: 'write' }],
        ['DELETE', `${credentials}/${id}`, undefined],
        ['GET', operators, undefined],
        ['POST', operators, { email: 'a@example.com' }],
        ['DELETE', `${operators}/${plane.owner.id}`, undefined],
      ] as const) {
        expectRefusal(await plane.call(method, path, { adminSecret, body }), 403, words)
      }
    })

    test.each([
      [{ name: '', scope: 'read' }, 'name is required'],
      [{ name: 'x', scope: 'all' }, 'scope must be one of: read, write'],
      [
        { name: 'x', scope: 'read', expires_at: '2001-01-01' },
        'expires_at must be null or an ISO 8601 time in the future',
      ],
    ])('is refused as %j', async (body, words) => {
      expectRefusal(await asRoot('POST', credentials, body), 400, words)
    })
  })

  describe('a person', () => {
    test('is an operator if they are the first user, or added, until removed', async () => {
      const session = await plane.signIn(plane.owner.email, plane.owner.password)
      expect((await setPlan({ session })).status).toBe(200)
      const person = await plane.makePerson()
      expectRefusal(await plane.call('GET', read, person), 401, 'Invalid admin secret')
      const added = expectOk(await asRoot('POST', operators, { email: person.email.toUpperCase() }))
      expect(added).toEqual({
        id: person.id,
        email: person.email,
        created_at: expect.any(String),
        created_by: 'operator',
      })
      expect((await plane.call('GET', read, person)).status).toBe(200)
      const { data } = expectOk<{ data: { id: string }[] }>(await asRoot('GET', operators))
      expect(data.map(({ id }) => id)).toEqual([plane.owner.id, person.id])
      expect((await asRoot('DELETE', `${operators}/${person.id}`)).status).toBe(204)
      expectRefusal(await plane.call('GET', read, person), 401, 'Invalid admin secret')
      expectRefusal(await asRoot('DELETE', `${operators}/${person.id}`), 404, 'Not found')
      expectRefusal(await asRoot('POST', operators, { email: 'nobody@example.com' }), 404, 'Account not found')
      expectRefusal(await asRoot('DELETE', `${operators}/${unknownId}`), 404, 'Not found')
    })

    test('must have signed in within ten minutes', async () => {
      const { session, id } = await plane.makePerson().then(async person => {
        expectOk(await asRoot('POST', operators, { email: person.email }))
        return person
      })
      expect((await setPlan({ session })).status).toBe(200)
      for (const authenticatedAt of [Date.now() - 11 * 60_000, 0]) {
        await plane.query('update sessions set authenticated_at = ? where user_id = ?', [authenticatedAt, id])
        expectRefusal(await setPlan({ session }), 403, reauthenticate)
      }
      // The session still is one of a person with an account.
      expect((await plane.call('GET', '/auth/v1/tenants', { session })).status).toBe(200)
    })

    test('needs the header of a write with the cookie', async () => {
      const { email, password } = plane.owner
      const login = await plane.call('POST', '/auth/v1/sessions?cookie=true', { body: { email, password } })
      const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
      const words = 'A request with a session cookie needs the header X-Sallyport: 1'
      expectRefusal(await setPlan({ headers: { cookie } }), 403, words)
      expect((await setPlan({ headers: { cookie, 'x-sallyport': '1' } })).status).toBe(200)
    })

    test('cannot be reset by the owner of the tenant that invited them', async () => {
      const tenant = await plane.makeTenant()
      const person = await plane.makePerson({ tenantId: tenant.id, role: 'viewer' })
      const link = `/auth/v1/tenants/${tenant.id}/members/${person.id}/reset-link`
      const { reset_url } = expectOk<{ reset_url: string }>(await plane.call('POST', link, plane.owner), 201)
      expectOk(await asRoot('POST', operators, { email: person.email }))
      expectRefusal(await plane.call('POST', link, plane.owner), 403, 'Only the operator can reset this account')
      const token = reset_url.split('token=')[1]
      const body = { token, password: 'a password of somebody else' }
      expectRefusal(await plane.call('POST', '/auth/v1/password-resets/accept', { body }), 404, 'Reset link not found')
    })
  })
})
