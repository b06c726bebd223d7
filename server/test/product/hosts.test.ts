// What the real product answers at its edge: probes, hosts, both forms of a project's address, and ambiguous requests.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { sendRaw } from '../http/raw-request.ts'
import { type Product, startProduct } from '../support/start-product.ts'

const adminSecret = 'admin-secret-of-the-tests'
const credentials = { email: 'admin@localhost', password: 'correct horse battery staple' }
// The names that the compiled cases use.
const env = { BASE_URL: 'http://h', PUBLIC_DOMAIN: 'pub', INTERNAL_DOMAIN: 'dev.pub' }

let product: Product
let slug: string
let apiKey: string

beforeAll(async () => {
  const secrets = { ADMIN_SECRET: adminSecret, BOOTSTRAP_PASSWORD: credentials.password }
  product = await startProduct({ env: { ...env, ...secrets } })
  const { session_token } = await post<{ session_token: string }>('/auth/v1/sessions', '', credentials)
  const tenant = await post<{ id: string }>('/auth/v1/tenants', session_token, { name: 'Tenant' })
  const project = await post<{ id: string; slug: string }>(`/auth/v1/tenants/${tenant.id}/projects`, session_token, {
    name: 'Project',
  })
  slug = project.slug
  const key = await post<{ api_key: string }>(`/auth/v1/projects/${project.id}/api-keys`, session_token, {})
  apiKey = key.api_key
  return async () => {
    await product.stop()
  }
})

async function post<Body>(path: string, bearer: string, body: object): Promise<Body> {
  const headers = bearer === '' ? '' : `Authorization: Bearer ${bearer}\r\n`
  const { status, body: text } = await send('POST', path, 'h', headers, JSON.stringify(body))
  if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`)
  return JSON.parse(text) as Body
}

async function send(method: string, path: string, host: string, headers = '', body = '') {
  const length = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  const bytes = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}${length}\r\n${body}`
  const { answers } = await sendRaw(product.port, bytes, { quietMs: 5_000 })
  expect(answers).toHaveLength(1)
  return answers[0] ?? { status: 0, headers: {}, body: '' }
}

describe('probes', () => {
  test('healthz and readyz answer on any host', async () => {
    for (const host of ['h', 'h:8080', '127.0.0.1', 'nobody.example', 'unknown-slug-1.pub']) {
      expect(await send('GET', '/healthz', host)).toMatchObject({ status: 200, body: '{"status":"ok"}' })
      expect(await send('GET', '/readyz', host)).toMatchObject({ status: 200, body: '{"status":"ready"}' })
    }
  })

  test('keepalive leads to healthz, on the management host', async () => {
    expect(await send('GET', '/keepalive', 'h')).toMatchObject({ status: 302, headers: { location: '/healthz' } })
    expect((await send('GET', '/keepalive', 'nobody.example')).status).toBe(404)
  })

  test('another method is refused', async () => {
    expect(await send('POST', '/healthz', 'h')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
  })
})

describe('hosts', () => {
  test('an unknown host is told so, with a secret of nobody as well', async () => {
    for (const headers of ['', 'X-Internal-Secret: guess\r\n', 'X-Internal-Secret: \r\n']) {
      const { status, body } = await send('GET', '/auth/v1/tenants', 'nobody.example', headers)
      expect(status).toBe(404)
      expect(JSON.parse(body)).toMatchObject({ error: 'not found', message: 'Unknown project host' })
    }
  })

  test.each([
    ['its public host', () => ({ host: `${slug}.pub`, path: '/v1/auth/mint' })],
    [
      'its public host in capitals, with a port',
      () => ({ host: `${slug.toUpperCase()}.PUB:8080`, path: '/v1/auth/mint' }),
    ],
    ['its internal host', () => ({ host: `${slug}.dev.pub`, path: '/v1/auth/mint' })],
    ['its path', () => ({ host: 'h', path: `/p/${slug}/v1/auth/mint` })],
  ])('a project is reached by %s', async (_name, where) => {
    const { host, path } = where()
    const headers = `Authorization: Bearer ${apiKey}\r\n`
    const { status, body } = await send('POST', path, host, headers, '{"user_id":"user-1"}')
    expect(status, body).toBe(200)
    expect(JSON.parse(body)).toMatchObject({ access_token: expect.any(String), session_id: expect.any(String) })
  })

  test("a project's host has no management, and the management host no project", async () => {
    for (const path of ['/auth/v1/tenants', '/v1/admin/killswitch/status', '/auth/v1/sessions', '/keepalive']) {
      const { status } = await send('GET', path, `${slug}.pub`, `X-Admin-Secret: ${adminSecret}\r\n`)
      expect(status, path).toBe(404)
      expect((await send('GET', `/p/${slug}${path}`, 'h')).status, path).toBe(404)
    }
    expect((await send('POST', '/v1/chat/completions', 'h', '', '{}')).status).toBe(404)
    const status = await send('GET', '/v1/admin/killswitch/status', 'h', `X-Admin-Secret: ${adminSecret}\r\n`)
    expect(JSON.parse(status.body)).toEqual({ global: false, tenants: [], projects: [] })
  })

  test('the key set is on both', async () => {
    for (const host of ['h', `${slug}.pub`]) {
      const { status, body } = await send('GET', '/.well-known/jwks.json', host)
      expect(status).toBe(200)
      expect(JSON.parse(body).keys).toHaveLength(1)
    }
  })
})

describe('certificates', () => {
  const ask = (query: string, host = 'h', headers = '') => send('GET', `/internal/tls-allowed${query}`, host, headers)

  test("are for an active project's two hosts alone, whatever we are called", async () => {
    const names = [`${slug}.pub`, `${slug}.dev.pub`, `${slug.toUpperCase()}.PUB`, `${slug}.pub.`]
    for (const domain of names) {
      for (const host of ['h', 'sallyport:8080', '127.0.0.1']) {
        expect((await ask(`?domain=${domain}`, host)).status, `${domain} at ${host}`).toBe(200)
      }
    }
    const others = [
      'amber-falcon-0000.pub',
      'h',
      'pub',
      'localhost',
      `a.${slug}.pub`,
      `${slug}.pub:443`,
      `${slug}.example`,
    ]
    for (const query of [
      '',
      '?domain=',
      `?domain=${slug}.pub&domain=${slug}.pub`,
      ...others.map(name => `?domain=${name}`),
    ]) {
      expect((await ask(query)).status, query).toBe(404)
    }
    expect((await send('POST', `/internal/tls-allowed?domain=${slug}.pub`, 'h')).status).toBe(405)
  })

  test.each(['X-Forwarded-For', 'X-Forwarded-Host', 'X-Real-IP', 'Forwarded', 'Via'])(
    'are nothing that a proxy on this machine may ask about for others: %s',
    async name => {
      expect((await ask(`?domain=${slug}.pub`, 'h', `${name}: 203.0.113.9\r\n`)).status).toBe(404)
    },
  )

  test('are nothing that strangers behind a trusted proxy may ask about', async () => {
    const behindProxy = await startProduct({ env: { ...env, TRUSTED_PROXIES: '127.0.0.0/8,192.0.2.0/24' } })
    const asked = async (headers: string) => {
      const bytes = `GET /internal/tls-allowed HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${headers}\r\n`
      const { answers } = await sendRaw(behindProxy.port, bytes, { quietMs: 5_000 })
      return answers[0]?.body
    }
    const told = '{"error":"Unknown project host"}'
    expect(await asked('')).toBe(told)
    expect(await asked('X-Forwarded-For: 192.0.2.7\r\n')).toBe(told)
    expect(await asked('X-Forwarded-For: 203.0.113.9\r\n')).toBe('{"error":"Not found"}')
    expect(await behindProxy.stop()).toBe(0)
  })
})

describe('ambiguous requests', () => {
  interface Case {
    name: string
    raw_latin1_base64: string
    required: string
  }
  const path = join(import.meta.dirname, '../data/security/http_cases.json')
  const { cases }: { cases: Case[] } = JSON.parse(readFileSync(path, 'utf8'))

  /** Where the listener alone may answer 200, the product has no such route or project. */
  function allowedStatuses(required: string): number[] {
    const statuses = [...required.matchAll(/\b[1-5][0-9]{2}\b/g)].map(([status]) => Number(status))
    const mayPass = /not upgraded|as without dot|header dropped|legal whitespace/.test(required)
    return mayPass ? [...statuses, 404] : statuses
  }

  test.each(cases)('$name → $required', async ({ raw_latin1_base64, required }) => {
    const { answers } = await sendRaw(product.port, Buffer.from(raw_latin1_base64, 'base64'), { quietMs: 150 })
    expect(answers).toHaveLength(1)
    expect(allowedStatuses(required)).toContain(answers[0]?.status)
    expect(answers[0]?.body).not.toContain('access_token')
  })

  test('two credentials on a route that knows one: neither counts', async () => {
    const two = `Authorization: Bearer ${apiKey}\r\nAuthorization: Bearer ${apiKey}\r\n`
    expect((await send('POST', '/auth/v1/auth/mint', 'h', two, '{"user_id":"user-1"}')).status).toBe(400)
    expect((await send('POST', '/v1/auth/mint', `${slug}.pub`, two, '{"user_id":"user-1"}')).status).toBe(400)
    const secrets = `X-Admin-Secret: ${adminSecret}\r\nX-Admin-Secret: ${adminSecret}\r\n`
    expect((await send('GET', '/v1/admin/killswitch/status', 'h', secrets)).status).toBe(401)
  })
})
