// What the management client sends, against an HTTP server that answers as a test tells it to.
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createManagementClient, type ManagementOptions, SallyportError } from '../src/index.ts'
import { type Answering, caught, startAnswering } from './answering-server.ts'

async function start(answering: Answering = () => ({ body: {} }), options: Partial<ManagementOptions> = {}) {
  const { url, received } = await startAnswering(answering)
  return { client: createManagementClient({ baseUrl: url, ...options }), received }
}

const tenantId = '7b0a1f0e-0000-4000-8000-000000000001'

describe('a request', () => {
  test('fills path and query, and sends the body with the credential', async () => {
    const { client, received } = await start(undefined, { token: 'sess_1' })
    await client.request('PUT', '/auth/v1/tenants/{tenantId}/providers/{providerType}', {
      path: { tenantId, providerType: 'open ai?' },
      body: { api_key: 'sk-1' },
    })
    await client.request('GET', '/v1/tenants/{tenantId}/guardrails/events', {
      path: { tenantId },
      query: { type: 'pii_block', limit: 5, cursor: undefined },
    })
    expect(received.map(({ method, url, body }) => ({ method, url, body }))).toEqual([
      { method: 'PUT', url: `/auth/v1/tenants/${tenantId}/providers/open%20ai%3F`, body: '{"api_key":"sk-1"}' },
      { method: 'GET', url: `/v1/tenants/${tenantId}/guardrails/events?type=pii_block&limit=5`, body: '' },
    ])
    expect(received.map(({ headers }) => [headers['authorization'], headers['content-type']])).toEqual([
      ['Bearer sess_1', 'application/json'],
      ['Bearer sess_1', undefined],
    ])
  })

  test('carries the secret of the operator', async () => {
    const { client, received } = await start(undefined, { adminSecret: 'secret' })
    await client.request('GET', '/v1/admin/killswitch/status')
    expect(received[0]?.headers).toMatchObject({ 'x-admin-secret': 'secret' })
  })

  test('of a session in a cookie includes it, and marks writes', async () => {
    const sent: RequestInit[] = []
    const fetch = async (_url: unknown, init?: RequestInit) => {
      sent.push(init ?? {})
      return Response.json({})
    }
    const client = createManagementClient({ baseUrl: 'http://a', cookie: true, fetch })
    await client.request('GET', '/auth/v1/tenants')
    await client.request('POST', '/auth/v1/tenants', { body: { name: 'Acme' } })
    expect(sent.map(({ credentials, headers }) => [credentials, new Headers(headers).get('x-sallyport')])).toEqual([
      ['include', null],
      ['include', '1'],
    ])
  })

  test.each(['', '.', '..', 'a/b'])('never leaves its route by the value %j', async value => {
    const { client, received } = await start()
    const path = { tenantId: value }
    expect(await caught(client.request('GET', '/auth/v1/tenants/{tenantId}', { path }))).toBeInstanceOf(TypeError)
    expect(received).toEqual([])
  })
})

test.each([
  ['ü ?', '%C3%BC%20%3F'],
  ['a/b', '~YS9i'],
  ['..', '~Li4'],
  ['~a', '~fmE'],
  ['ü/ÿ?>~', '~w7wvw78_Pn4'],
])('the user id %j is written %s', async (uid, segment) => {
  const { client, received } = await start()
  const request = client.request as (method: string, path: string, input: object) => Promise<unknown>
  await request('DELETE', '/users/{uid}/block', { path: { uid } })
  expect(received[0]?.url).toBe(`/users/${segment}/block`)
})

describe('an answer', () => {
  test.each([
    [{ body: { a: 1 } }, { a: 1 }],
    [{ status: 204 }, undefined],
    [{ body: '<html>' }, '<html>'],
  ])('%j becomes %j', async (answer, expected) => {
    const { client } = await start(() => answer)
    expect(await client.request('GET', '/auth/v1/tenants')).toEqual(expected)
  })

  test('that streams is a stream', async () => {
    const { client } = await start(() => ({ headers: { 'content-type': 'text/event-stream' }, body: 'data: 1\n\n' }))
    const input = { path: { projectId: tenantId }, body: { messages: [{ role: 'user', content: 'Hello' }] } }
    const stream = await client.request('POST', '/auth/v1/projects/{projectId}/playground', input)
    expect(await new Response(stream).text()).toBe('data: 1\n\n')
  })

  test('that is an error is thrown', async () => {
    const { client } = await start(() => ({
      status: 404,
      body: { error: 'Tenant not found', code: 'TENANT_NOT_FOUND' },
    }))
    const error = await caught(client.request('GET', '/auth/v1/tenants'))
    expect(error).toBeInstanceOf(SallyportError)
    expect(error).toMatchObject({ status: 404, message: 'Tenant not found', code: 'TENANT_NOT_FOUND' })
  })

  test('that may be repeated is retried, a write only with an Idempotency-Key', async () => {
    const { client, received } = await start(() => ({ status: 503, body: { error: 'busy' } }), { maxRetries: 1 })
    const body = { name: 'Acme' }
    const counts: number[] = []
    for (const send of [
      () => client.request('GET', '/auth/v1/tenants'),
      () => client.request('POST', '/auth/v1/tenants', { body }),
      () => client.request('POST', '/auth/v1/tenants', { body, headers: { 'Idempotency-Key': 'k' } }),
    ]) {
      const before = received.length
      await caught(send())
      counts.push(received.length - before)
    }
    expect(counts).toEqual([2, 1, 2])
  })
})

describe('in a browser', () => {
  afterEach(() => void vi.unstubAllGlobals())

  test('a session is welcome; an API key and the operator’s secret are not', () => {
    vi.stubGlobal('document', {})
    const baseUrl = 'http://a'
    expect(() => createManagementClient({ baseUrl, token: 'sess_1' })).not.toThrow()
    expect(() => createManagementClient({ baseUrl, token: 'service_sk_live_1' })).toThrow(/must not run in a browser/)
    expect(() => createManagementClient({ baseUrl, adminSecret: 's' })).toThrow(/must not run in a browser/)
  })
})

describe('a list', () => {
  const page = (data: string[], next: string | null) => ({
    body: { data: data.map(uid => ({ uid })), next_cursor: next },
  })

  test('is read page after page, with the same filters, and only as far as somebody reads', async () => {
    const pages = [page(['a', 'b'], 'c 1'), page([], 'c2'), page(['c'], null)]
    const { client, received } = await start((_, index) => pages[index] ?? { status: 500 })
    const uids: string[] = []
    const users = client.list('/auth/v1/projects/{projectId}/users', {
      path: { projectId: 'p' },
      query: { limit: 2, q: 'x' },
    })
    for await (const { uid } of users) {
      expect(received).toHaveLength(uid === 'c' ? 3 : 1)
      uids.push(uid)
    }
    expect(uids).toEqual(['a', 'b', 'c'])
    expect(received.map(({ url }) => url.split('?')[1])).toEqual([
      'limit=2&q=x',
      'limit=2&q=x&cursor=c+1',
      'limit=2&q=x&cursor=c2',
    ])
  })

  test('ends with the error of a page', async () => {
    const { client } = await start((_, index) =>
      index === 0 ? page(['a'], 'c') : { status: 403, body: { error: 'no' } },
    )
    const read = async () => {
      for await (const tenant of client.list('/auth/v1/tenants/{tenantId}/events', { path: { tenantId } })) void tenant
    }
    expect(await caught(read())).toMatchObject({ status: 403, message: 'no' })
  })
})
