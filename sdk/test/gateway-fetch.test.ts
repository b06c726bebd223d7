// The fetch that client libraries are given: which token and headers each request carries, and how errors read.
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createGatewayFetch, createTokenProvider, type GatewayFetchOptions, SallyportError } from '../src/index.ts'
import { type Answering, caught, startAnswering } from './answering-server.ts'

async function start(answering: Answering, more: Partial<GatewayFetchOptions> = {}) {
  const { url, received } = await startAnswering(answering)
  const base = `${url}/p/a`
  let tokens = 0
  const tokenProvider = createTokenProvider(() => ({ token: `t${tokens++}`, ttl: 600 }))
  const gatewayFetch = createGatewayFetch({ baseUrl: base, tokenProvider, ...more })
  return { base, received, gatewayFetch, sent: (name: string) => received.map(({ headers }) => headers[name]) }
}

const post = (body: RequestInit['body'], headers = {}): RequestInit => ({ method: 'POST', body, headers })

describe('a request', () => {
  test('carries the token in place of the client’s own', async () => {
    const { base, gatewayFetch, sent } = await start(() => ({ body: {} }))
    await gatewayFetch(`${base}/v1/models`, { headers: { Authorization: 'Bearer placeholder', 'X-Other': '1' } })
    await gatewayFetch(new Request(`${base}/v1/models`, { headers: { 'X-Other': '1' } }))
    expect(sent('authorization')).toEqual(['Bearer t0', 'Bearer t0'])
    expect(sent('x-other')).toEqual(['1', '1'])
  })

  test('takes a function in place of a provider', async () => {
    const { base, gatewayFetch, sent } = await start(() => ({ body: {} }), { tokenProvider: () => 'from-a-function' })
    await gatewayFetch(`${base}/v1/models`)
    expect(sent('authorization')).toEqual(['Bearer from-a-function'])
  })

  test.each([
    ['sessionId', 'x-session-id', 'x-thread-id'],
    ['threadId', 'x-thread-id', 'x-session-id'],
  ])('carries the %s, unless it names a conversation itself', async (option, header, other) => {
    const { base, gatewayFetch, sent } = await start(() => ({ body: {} }), { [option]: 'c-1' })
    await gatewayFetch(`${base}/v1/chat/completions`, post('{}'))
    await gatewayFetch(`${base}/v1/chat/completions`, post('{}', { [header]: 'own' }))
    await gatewayFetch(`${base}/v1/chat/completions`, post('{}', { [other]: 'own' }))
    expect(sent(header)).toEqual(['c-1', 'own', undefined])
    expect(sent(other)).toEqual([undefined, undefined, 'own'])
  })

  test('carries none where the token endpoint names none', async () => {
    const { base, gatewayFetch, sent } = await start(() => ({ body: {} }), { sessionId: null, threadId: undefined })
    await gatewayFetch(`${base}/v1/chat/completions`, post('{}'))
    expect([sent('x-session-id'), sent('x-thread-id')]).toEqual([[undefined], [undefined]])
  })

  test('cannot carry both', async () => {
    const options = { baseUrl: 'http://a', tokenProvider: () => 't', sessionId: 's', threadId: 't' }
    expect(() => createGatewayFetch(options)).toThrow(/exclude each other/)
  })

  test.each(['http://127.0.0.1:9/p/a/v1/models', 'http://localhost/p/ab/v1', 'https://evil.example/p/a/v1'])(
    'never carries the token to %s',
    async address => {
      const gatewayFetch = createGatewayFetch({ baseUrl: 'http://localhost/p/a', tokenProvider: () => 'secret' })
      expect(String(await caught(gatewayFetch(address)))).toMatch(/sends tokens to http:\/\/localhost\/p\/a alone/)
    },
  )
})

describe('a 401', () => {
  const refuseFirst: Answering = ({ headers }) =>
    headers['authorization'] === 'Bearer t0'
      ? { status: 401, body: { error: 'unauthorized', message: 'no' } }
      : { body: {} }

  test.each<[string, (base: string) => Parameters<typeof fetch>]>([
    ['a text', base => [`${base}/v1/a`, post('{"a":1}')]],
    ['a Request', base => [new Request(`${base}/v1/a`, post('{"a":1}'))]],
  ])('is repeated once with another token, with the body: %s', async (_what, argumentsFor) => {
    const { base, gatewayFetch, received, sent } = await start(refuseFirst)
    expect((await gatewayFetch(...argumentsFor(base))).status).toBe(200)
    expect(sent('authorization')).toEqual(['Bearer t0', 'Bearer t1'])
    expect(received.map(({ body }) => body)).toEqual(['{"a":1}', '{"a":1}'])
  })

  test('of many requests at once renews the token once', async () => {
    const { base, gatewayFetch, sent } = await start(refuseFirst)
    const answers = await Promise.all(Array.from({ length: 8 }, () => gatewayFetch(`${base}/v1/a`)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(new Set(sent('authorization'))).toEqual(new Set(['Bearer t0', 'Bearer t1']))
  })

  test('that stays is handed on, in the gateway’s words', async () => {
    const { base, gatewayFetch, received } = await start(() => ({
      status: 401,
      body: { error: 'unauthorized', message: 'Project is suspended' },
    }))
    const response = await gatewayFetch(`${base}/v1/a`)
    expect(response.status).toBe(401)
    expect((await response.json()).error.message).toBe('Project is suspended')
    expect(received).toHaveLength(2)
  })

  test('is not repeated with the same token, nor with a body that streams', async () => {
    const same = await start(refuseFirst, { tokenProvider: () => 't0' })
    expect((await same.gatewayFetch(`${same.base}/v1/a`)).status).toBe(401)
    expect(same.received).toHaveLength(1)
    const streaming = await start(refuseFirst)
    const init = { ...post(new Blob(['{}']).stream()), duplex: 'half' }
    expect((await streaming.gatewayFetch(`${streaming.base}/v1/a`, init)).status).toBe(401)
    expect(streaming.received).toHaveLength(1)
  })
})

describe('an error', () => {
  const read = async (status: number, body: unknown, headers = {}) => {
    const { base, gatewayFetch } = await start(() => ({ status, body, headers }))
    const response = await gatewayFetch(`${base}/v1/a`)
    const text = await response.text()
    return { status: response.status, headers: response.headers, text }
  }

  test.each([
    [403, { error: 'forbidden', message: 'Service disabled by kill switch' }, 'permission_error', null],
    [404, { error: 'Unknown project host' }, 'not_found_error', null],
    [429, { error: 'Mint rate limit exceeded', code: 'RATE_LIMITED' }, 'rate_limit_error', 'RATE_LIMITED'],
    [413, { error: 'payload too large', message: 'Payload too large' }, 'invalid_request_error', null],
    [503, { error: 'busy', message: 'Too many requests in progress', retryable: true }, 'server_error', null],
  ])('%i reads as OpenAI’s: %j', async (status, body, type, code) => {
    const { text, ...rest } = await read(status, body, { 'x-request-id': 'r-1' })
    const message = 'message' in body ? body.message : body.error
    expect(JSON.parse(text)).toEqual({ error: { message, type, param: null, code } })
    expect({ status: rest.status, id: rest.headers.get('x-request-id') }).toEqual({ status, id: 'r-1' })
  })

  test('of an address without a project says what is missing', async () => {
    const { url } = await startAnswering(() => ({ status: 404, body: { error: 'Not found' } }))
    const message = async (baseUrl: string) => {
      const response = await createGatewayFetch({ baseUrl, tokenProvider: () => 't' })(`${baseUrl}/v1/a`)
      return (await response.json()).error.message
    }
    const hint = `Not found: baseUrl must be the address of a project, but …/p/{slug} is missing in ${url}`
    expect([await message(url), await message(`${url}/p/a`)]).toEqual([hint, 'Not found'])
  })

  describe('that a page cannot see', () => {
    const unreachable = async (pageOrigin: string | null, failure: Error = new TypeError('Failed to fetch')) => {
      if (pageOrigin !== null) vi.stubGlobal('document', {})
      if (pageOrigin !== null) vi.stubGlobal('location', { origin: pageOrigin })
      onTestFinished(() => void vi.unstubAllGlobals())
      const fetch = () => Promise.reject(failure)
      const gatewayFetch = createGatewayFetch({ baseUrl: 'https://a.example/p/a', tokenProvider: () => 't', fetch })
      return await gatewayFetch('https://a.example/p/a/v1/models').catch((error: unknown) => error)
    }

    test('asks whether its origin is allowed', async () => {
      const response = (await unreachable('http://127.0.0.1:3000')) as Response
      const origin = "this page's origin, http://127.0.0.1:3000, in cors_origins, and deployed?"
      expect([response.status, (await response.json()).error.message]).toEqual([
        503,
        `Could not reach https://a.example/p/a: is it running, and is ${origin}`,
      ])
    })

    test('stays as it is for the same origin, outside of pages, and if the page ended the request', async () => {
      for (const origin of ['https://a.example', null]) expect(await unreachable(origin)).toBeInstanceOf(TypeError)
      const ended = new DOMException('Aborted', 'AbortError')
      expect(await unreachable('http://127.0.0.1:3000', ended)).toBe(ended)
    })
  })

  test('in OpenAI’s shape, or in none, is left as it is', async () => {
    const body = { error: { message: 'no', type: 'a', param: 'b', code: 'c' } }
    expect((await read(400, body)).text).toBe(JSON.stringify(body))
    expect((await read(502, '<html>bad</html>')).text).toBe('<html>bad</html>')
    expect((await read(500, { ok: false })).text).toBe('{"ok":false}')
  })

  test('says that a retry is futile where only the gateway knew', async () => {
    const limited = async (headers: Record<string, string>) =>
      (await read(429, {}, headers)).headers.get('x-should-retry')
    expect(await limited({ 'retry-after': '7200' })).toBe('false')
    expect(await limited({})).toBe('false')
    expect(await limited({ 'retry-after': '60' })).toBeNull()
    expect((await read(503, {})).headers.get('x-should-retry')).toBeNull()
  })

  test.each<[string, () => never, number, string]>([
    [
      'a refusing token endpoint',
      () => {
        throw new SallyportError('Sign in first', { status: 403 })
      },
      403,
      'Sign in first',
    ],
    [
      'an unreachable one',
      () => {
        throw new TypeError('fetch failed')
      },
      503,
      'Could not reach the token endpoint: fetch failed',
    ],
    [
      'one that throws',
      () => {
        throw new Error('nobody is signed in')
      },
      401,
      'No token: nobody is signed in',
    ],
  ])('of %s is an answer that clients can show', async (_what, tokenProvider, status, message) => {
    const { base, gatewayFetch, received } = await start(() => ({ body: {} }), { tokenProvider })
    const response = await gatewayFetch(`${base}/v1/a`)
    expect({ status: response.status, error: (await response.json()).error.message }).toEqual({
      status,
      error: message,
    })
    expect(received).toEqual([])
  })
})
