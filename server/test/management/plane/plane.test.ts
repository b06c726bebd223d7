// What every management route has in common: bodies that are refused before any use-case, methods, CORS, headers.
import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'

const dashboard = 'https://dashboard.example.com'
const tenants = '/auth/v1/tenants'

describeEachBackend('the management plane', start => {
  let plane: ManagementHarness
  beforeAll(async () => {
    plane = await start({ env: { DASHBOARD_ORIGIN: dashboard } })
  })

  const send = (body: string, type: string | null = 'application/json') =>
    fetch(plane.baseUrl + tenants, {
      method: 'POST',
      headers: { authorization: `Bearer ${plane.owner.session}`, ...(type === null ? {} : { 'content-type': type }) },
      // A string would be given a content type of its own.
      body: Buffer.from(body, 'latin1'),
    })

  describe('bodies', () => {
    test.each([
      ['{"name":"A"', 400, 'Invalid JSON body'],
      ['{"name":"A"} x', 400, 'Invalid JSON body'],
      ["{'name':'A'}", 400, 'Invalid JSON body'],
      ['{"name":"\xff"}', 400, 'Invalid JSON body'],
      ['{"name":"A","more":'.concat('['.repeat(100), ']'.repeat(100), '}'), 400, 'Invalid JSON body'],
      ['[]', 400, 'Request body must be a JSON object'],
      ['"name"', 400, 'Request body must be a JSON object'],
      ['7', 400, 'Request body must be a JSON object'],
      ['null', 400, 'name is required'],
      ['', 400, 'name is required'],
      ['{"__proto__":{"name":"A"}}', 400, 'name is required'],
      ['{"constructor":{"name":"A"}}', 400, 'name is required'],
    ])('%s', async (body, status, error) => {
      const answer = await send(body)
      expect([answer.status, await answer.json()]).toEqual([status, { error }])
    })

    test.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      null,
    ])('of the type %s are refused', async type => {
      const answer = await send('{"name":"A"}', type)
      expect([answer.status, await answer.json()]).toEqual([415, { error: 'Content-Type must be application/json' }])
    })

    test.each(['application/json; charset=utf-8', 'application/json;charset=UTF-8', 'Application/JSON'])(
      'of the type %s are read',
      async type => {
        expect((await send('{"name":"A"}', type)).status).toBe(201)
      },
    )

    test('of one megabyte are read, of one byte more refused', async () => {
      const frame = '{"name":"A","pad":""}'.length
      const padded = (bytes: number) => send(`{"name":"A","pad":"${'x'.repeat(bytes - frame)}"}`)
      expect((await padded(1_048_576)).status).toBe(201)
      const answer = await padded(1_048_577)
      expect([answer.status, await answer.json()]).toEqual([413, { error: 'Payload too large' }])
    })

    test('are not looked at without a credential', async () => {
      const answer = await plane.call('POST', tenants, { body: '{' })
      expect([answer.status, answer.body]).toEqual([401, { error: 'Bearer token required' }])
    })
  })

  describe('paths', () => {
    test.each([
      ['GET', '/nothing'],
      ['GET', '/auth/v1'],
      ['GET', '/auth/v1/nothing'],
      ['GET', '/auth/v2/tenants'],
      ['GET', '/v1/tenants'],
    ])('%s %s is not there', async (method, path) => {
      const answer = await plane.call(method, path, { session: plane.owner.session })
      expect([answer.status, answer.body]).toEqual([404, { error: 'Not found' }])
    })

    test.each([
      ['POST', '/auth/v1/nothing', 404],
      ['POST', '/v1/admin/killswitch', 404],
      ['PUT', tenants, 405],
    ])('%s %s is told so whatever its body is', async (method, path, status) => {
      for (const body of ['{', 'x'.repeat(1_048_577)]) {
        expect((await plane.call(method, path, { body, session: plane.owner.session })).status).toBe(status)
      }
    })

    test.each(['a'.repeat(300), 'a'.repeat(9000), '%F0%9F%92%A9', 'a%20b'])(
      'with the id %.20s name no tenant',
      async id => {
        const answer = await plane.call('GET', `${tenants}/${id}`, { session: plane.owner.session })
        expect([answer.status, answer.body]).toEqual([404, { error: 'Tenant not found', code: 'TENANT_NOT_FOUND' }])
      },
    )

    test.each(['%ff', '%', '%00', '%2f', 'a%2Fb', '..', 'x/../y'])(
      'that end in %s answer in our own words',
      async end => {
        const answer = await rawGet(plane, `${tenants}/${end}`)
        expect(answer).toMatch(/^HTTP\/1\.1 (400|404) /)
        expect(answer).toMatch(/\r\n\r\n\{"error":"[^"]*"(,"code":"TENANT_NOT_FOUND")?\}$/)
      },
    )

    test.each([
      ['PUT', tenants, 'POST, GET, HEAD'],
      ['PATCH', tenants, 'POST, GET, HEAD'],
      ['DELETE', tenants, 'POST, GET, HEAD'],
      ['GET', '/auth/v1/sessions', 'POST'],
      ['POST', '/auth/v1/sessions/current', 'GET, HEAD, DELETE'],
    ])('%s %s is another method', async (method, path, allow) => {
      const answer = await plane.call(method, path, { session: plane.owner.session })
      expect([answer.status, answer.body]).toEqual([405, { error: 'Method not allowed' }])
      expect(answer.headers.get('allow')).toBe(allow)
    })
  })

  describe('CORS', () => {
    const preflight = (origin: string, path = tenants) =>
      plane.call('OPTIONS', path, { headers: { origin, 'access-control-request-method': 'POST' } })
    const names = (headers: Headers) => [...headers.keys()].filter(name => name.startsWith('access-control-'))

    test('lets the dashboard in', async () => {
      const answer = await preflight(dashboard)
      expect([answer.status, answer.text]).toEqual([204, ''])
      expect(answer.headers.get('access-control-allow-origin')).toBe(dashboard)
      expect(answer.headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, PATCH, DELETE')
      const allowed = answer.headers.get('access-control-allow-headers')?.split(', ')
      expect(allowed).toEqual(expect.arrayContaining(['authorization', 'content-type', 'idempotency-key']))
      expect(allowed).not.toContain('x-admin-secret')
      expect(allowed).toContain('x-sallyport')
      expect(answer.headers.get('access-control-allow-credentials')).toBe('true')
      expect(answer.headers.get('vary')).toBe('Origin')
    })

    test.each([
      'https://dashboard.example.com.evil.com',
      'http://dashboard.example.com',
      'https://dashboard.example.com:8443',
      'https://DASHBOARD.example.com/',
      'https://app.example.com',
      'null',
    ])('names %s in no header', async origin => {
      const asked = await preflight(origin)
      expect(asked.status).toBe(404)
      const answer = await plane.call('GET', tenants, { session: plane.owner.session, headers: { origin } })
      for (const { headers } of [asked, answer]) {
        expect(names(headers)).toEqual([])
        expect(headers.get('vary')).toBe('Origin')
      }
    })

    test.each([
      ['an answer', 200, 'GET', tenants, true],
      ['a refusal', 401, 'GET', tenants, false],
      ['nothing found', 404, 'GET', '/auth/v1/nothing', false],
      ['another method', 405, 'PATCH', tenants, false],
      ['the end of a session', 401, 'DELETE', '/auth/v1/sessions/current', false],
    ])('is on %s', async (_case, status, method, path, isSignedIn) => {
      const session = isSignedIn ? { session: plane.owner.session } : {}
      const answer = await plane.call(method, path, { ...session, headers: { origin: dashboard } })
      expect(answer.status).toBe(status)
      expect(answer.headers.get('access-control-allow-origin')).toBe(dashboard)
      expect(answer.headers.get('access-control-expose-headers')).toMatch(/^x-request-id, retry-after, x-sallyport-/)
    })
  })

  test('every answer has a request id and is never cached', async () => {
    const answers = [
      await plane.call('GET', tenants, { session: plane.owner.session }),
      await plane.call('GET', tenants),
      await plane.call('DELETE', '/auth/v1/sessions/current', {
        session: await plane.signIn(plane.owner.email, plane.owner.password),
      }),
    ]
    for (const { headers } of answers) {
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      expect(headers.get('cache-control')).toBe('no-store')
    }
  })
})

/** One request with its path as it is written, which fetch would tidy up. */
async function rawGet({ product, owner }: ManagementHarness, path: string): Promise<string> {
  const socket = connect(product.port, '127.0.0.1').setEncoding('utf8')
  let text = ''
  socket.on('data', (chunk: string) => {
    text += chunk
  })
  const credential = `Authorization: Bearer ${owner.session}`
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${credential}\r\nConnection: close\r\n\r\n`)
  await once(socket, 'close')
  return text
}
