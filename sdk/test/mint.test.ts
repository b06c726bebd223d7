// Minting against an HTTP server that answers as the gateway does.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSallyport, type MintOptions, SallyportError } from '../src/index.ts'
import { type Answer, type Answering, caught, startAnswering } from './answering-server.ts'

const apiKey = 'service_sk_live_00112233445566778899aabbccddeeff'

/** Grants each mint a token of its own, in the session that it names. */
function grant({ body }: { body: string }, index: number): Answer {
  const { ttl = 3600, session_id = `opened-${index}` } = JSON.parse(body)
  const granted = { access_token: `token-${index}`, token_type: 'Bearer', project_id: 'p', expires_in: ttl, session_id }
  return { body: granted }
}

async function start(answering: Answering = grant, options: { timeoutMs?: number; maxRetries?: number } = {}) {
  const { url, received } = await startAnswering(answering)
  const sallyport = createSallyport({ baseUrl: `${url}/p/amber-falcon-4821`, apiKey, ...options })
  const sent = () => received.map(({ body }) => JSON.parse(body))
  return { url, received, sent, mint: sallyport.mint }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)

describe('a mint', () => {
  test('sends the wire fields and returns token, ttl, sessionId and expiresAt', async () => {
    const { mint, received } = await start()
    const expiresAt = new Date(Date.now() + 120_000).toISOString()
    const minted = await mint({ userId: 'u1', ttl: 120, role: 'user', tier: 'gold', sessionId: 's-1' })
    expect(minted).toEqual({ token: 'token-0', ttl: 120, sessionId: 's-1', expiresAt })
    expect(received[0]).toMatchObject({
      method: 'POST',
      url: '/p/amber-falcon-4821/v1/auth/mint',
      headers: { authorization: `Bearer ${apiKey}` },
    })
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({
      user_id: 'u1',
      ttl: 120,
      role: 'user',
      tier: 'gold',
      session_id: 's-1',
    })
  })

  test('says what is missing in an address without a project', async () => {
    const { url } = await startAnswering(() => ({ status: 404, body: { error: 'Not found' } }))
    const error = await caught(createSallyport({ baseUrl: url, apiKey }).mint({ userId: 'u1' }))
    expect(error).toBeInstanceOf(SallyportError)
    expect(error).toMatchObject({
      status: 404,
      message: `Not found: baseUrl must be the address of a project, but …/p/{slug} is missing in ${url}`,
    })
  })

  test('passes on a warning', async () => {
    const warning = 'The project has no tier "gold"'
    const granted = (given: { body: string }, index: number) => {
      const { body } = grant(given, index)
      return { body: { ...(body as object), warning } }
    }
    const { mint } = await start(granted)
    expect(await mint({ userId: 'u1', tier: 'gold' })).toMatchObject({ token: 'token-0', warning })
  })

  test('does not send what is not given', async () => {
    const { mint, sent } = await start()
    await mint({ userId: 'u1' })
    expect(sent()).toEqual([{ user_id: 'u1' }])
  })

  test.each(['/', '/v1', '/v1/'])('takes an address that ends in %s', async ending => {
    const { url, received } = await start()
    await createSallyport({ baseUrl: `${url}/p/a${ending}`, apiKey }).mint({ userId: 'u1' })
    expect(received[0]?.url).toBe('/p/a/v1/auth/mint')
  })

  test('does not follow a redirect, which could lead the key elsewhere', async () => {
    const other = await startAnswering(grant)
    const { mint } = await start(() => ({ status: 307, headers: { location: other.url } }))
    expect(await caught(mint({ userId: 'u1' }))).toMatchObject({ name: 'SallyportError', status: 307 })
    expect(other.received).toEqual([])
  })
})

describe('one token per session', () => {
  test('the same options get the same token, also at the same time', async () => {
    const { mint, sent } = await start()
    const minted = await Promise.all([mint({ userId: 'u1' }), mint({ userId: 'u1' })])
    minted.push(await mint({ userId: 'u1' }))
    expect(minted.map(({ token }) => token)).toEqual(['token-0', 'token-0', 'token-0'])
    expect(sent()).toHaveLength(1)
  })

  test.each<MintOptions>([
    { userId: 'u2' },
    { userId: 'u1', role: 'admin' },
    { userId: 'u1', ttl: 60 },
    { userId: 'u1', tier: 'gold' },
    { userId: 'u1', sessionId: 's-2' },
  ])('other options get a token of their own: %j', async other => {
    const { mint } = await start()
    const [first, second] = [await mint({ userId: 'u1' }), await mint(other)]
    expect(second.token).not.toBe(first.token)
  })

  test('the session that a mint opened can be named', async () => {
    const { mint, sent } = await start()
    const { sessionId, token } = await mint({ userId: 'u1' })
    expect((await mint({ userId: 'u1', sessionId })).token).toBe(token)
    expect(sent()).toHaveLength(1)
  })

  test('it is renewed before it expires, in the same session; until then its ttl counts down', async () => {
    const { mint, sent } = await start()
    const first = await mint({ userId: 'u1', ttl: 100 })
    pass(79)
    expect(await mint({ userId: 'u1', ttl: 100 })).toEqual({ ...first, ttl: 21 })
    pass(2)
    const [renewed, same] = await Promise.all([mint({ userId: 'u1', ttl: 100 }), mint({ userId: 'u1', ttl: 100 })])
    expect(renewed).toMatchObject({ token: 'token-1', ttl: 100, sessionId: first.sessionId })
    expect(same.token).toBe('token-1')
    expect(sent()[1]).toMatchObject({ session_id: first.sessionId })
  })

  test('a long token is renewed two minutes before it expires', async () => {
    const { mint } = await start()
    await mint({ userId: 'u1', ttl: 86_400 })
    pass(86_400 - 121)
    expect((await mint({ userId: 'u1', ttl: 86_400 })).token).toBe('token-0')
    pass(2)
    expect((await mint({ userId: 'u1', ttl: 86_400 })).token).toBe('token-1')
  })

  test('a fresh one is minted on demand', async () => {
    const { mint } = await start()
    const { sessionId } = await mint({ userId: 'u1' })
    expect(await mint({ userId: 'u1', fresh: true })).toMatchObject({ token: 'token-1', sessionId })
    expect((await mint({ userId: 'u1' })).token).toBe('token-1')
  })

  test('a failed renewal does no harm while the token is valid, and is not tried at every call', async () => {
    let isDown = false
    const { mint, received } = await start((request, index) => (isDown ? { status: 503 } : grant(request, index)))
    await mint({ userId: 'u1', ttl: 100 })
    isDown = true
    pass(85)
    for (let i = 0; i < 3; i++) expect((await mint({ userId: 'u1', ttl: 100 })).token).toBe('token-0')
    expect(received).toHaveLength(2)
    pass(6)
    expect((await mint({ userId: 'u1', ttl: 100 })).token).toBe('token-0')
    expect(received).toHaveLength(3)
    pass(9)
    expect(await caught(mint({ userId: 'u1', ttl: 100 }))).toMatchObject({ status: 503 })
    isDown = false
    expect((await mint({ userId: 'u1', ttl: 100 })).token).toMatch(/^token-/)
  })

  test('a refused renewal is an error at once', async () => {
    const { mint } = await start((request, index) =>
      index === 0 ? grant(request, index) : { status: 401, body: { error: 'API key revoked' } },
    )
    await mint({ userId: 'u1', ttl: 100 })
    pass(85)
    expect(await caught(mint({ userId: 'u1', ttl: 100 }))).toMatchObject({ status: 401, message: 'API key revoked' })
  })

  test('at most 10,000 are kept, those used last', async () => {
    let minted = 0
    const fetch = async (_url: unknown, init?: RequestInit) =>
      Response.json(grant({ body: String(init?.body) }, minted++).body)
    const { mint } = createSallyport({ baseUrl: 'http://localhost/p/a', apiKey, fetch })
    const mintFor = (user: number) => mint({ userId: `u${user}`, sessionId: 's' })
    for (let user = 0; user < 10_000; user++) await mintFor(user)
    await mintFor(0)
    await mintFor(10_000)
    expect(minted).toBe(10_001)
    await mintFor(0)
    expect(minted).toBe(10_001)
    await mintFor(1)
    expect(minted).toBe(10_002)
  })
})

describe('a retry', () => {
  test.each<[string, ReturnType<Answering>]>([
    ['a 503', { status: 503, body: { error: 'Database unavailable', retryable: true } }],
    ['a 500', { status: 500, body: 'oh' }],
    ['a lost connection', 'cut'],
  ])('follows %s', async (_what, failure) => {
    const { mint, received } = await start((request, index) => (index < 2 ? failure : grant(request, index)))
    expect((await mint({ userId: 'u1' })).token).toBe('token-2')
    expect(received).toHaveLength(3)
  })

  test('comes no sooner than Retry-After says', async () => {
    const limited = { status: 429, headers: { 'retry-after': '1' }, body: { error: 'Mint rate limit exceeded' } }
    const { mint, received } = await start((request, index) => (index === 0 ? limited : grant(request, index)))
    await mint({ userId: 'u1' })
    expect((received[1]?.atMs ?? 0) - (received[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(1_000)
  })

  test('ends after as many as were given', async () => {
    const { mint, received } = await start(() => ({ status: 503 }), { maxRetries: 1 })
    expect(await caught(mint({ userId: 'u1' }))).toMatchObject({ status: 503, retryable: true })
    expect(received).toHaveLength(2)
  })

  test.each<[string, Answer]>([
    ['a refused key', { status: 401, body: { error: 'Invalid API key' } }],
    ['an invalid field', { status: 400, body: { error: 'user_id is required' } }],
    ['what the gateway calls final', { status: 503, body: { error: 'no', retryable: false } }],
    ['what the gateway asks not to repeat', { status: 503, headers: { 'x-should-retry': 'false' } }],
    ['a wait of an hour', { status: 429, headers: { 'retry-after': '3600' }, body: { error: 'no' } }],
  ])('never follows %s', async (_what, answer) => {
    const { mint, received } = await start(() => answer)
    await caught(mint({ userId: 'u1' }))
    expect(received).toHaveLength(1)
  })
})

describe('an error', () => {
  test('carries what the gateway says', async () => {
    const { mint } = await start(() => ({
      status: 429,
      headers: { 'retry-after': '1800', 'x-request-id': 'r-1' },
      body: { error: 'Mint rate limit exceeded', code: 'RATE_LIMITED' },
    }))
    const error = await caught(mint({ userId: 'u1' }))
    expect(error).toBeInstanceOf(SallyportError)
    expect(error).toMatchObject({
      message: 'Mint rate limit exceeded',
      status: 429,
      code: 'RATE_LIMITED',
      retryable: true,
      retryAfterSeconds: 1800,
      requestId: 'r-1',
    })
  })

  test('has its status also if the answer is not the gateway’s', async () => {
    const { mint } = await start(() => ({ status: 502, body: '<html>bad gateway</html>' }), { maxRetries: 0 })
    expect(await caught(mint({ userId: 'u1' }))).toMatchObject({
      message: 'The gateway answered with status 502',
      status: 502,
      code: null,
      requestId: null,
    })
  })

  test('reports a gateway that never answers, and one that is not there', async () => {
    const silent = await start(() => 'silence', { timeoutMs: 100, maxRetries: 0 })
    expect(await caught(silent.mint({ userId: 'u1' }))).toMatchObject({ status: 0, code: 'TIMEOUT', retryable: true })
    const nowhere = createSallyport({ baseUrl: 'http://127.0.0.1:9', apiKey, maxRetries: 0 })
    const error = await caught(nowhere.mint({ userId: 'u1' }))
    expect(error).toMatchObject({ status: 0, code: 'UNREACHABLE', retryable: true })
    expect((error as Error).message).toMatch(/^Could not reach the gateway: /)
    expect((error as Error).cause).toBeInstanceOf(TypeError)
  })

  test.each([{ body: '<html>' }, { body: { status: 'ok' } }])('reports an answer without a token: %j', async answer => {
    const { mint } = await start(() => answer)
    expect(await caught(mint({ userId: 'u1' }))).toMatchObject({ code: 'INVALID_RESPONSE', retryable: false })
  })
})

describe('the options', () => {
  test.each(['', 'localhost:8080', 'ftp://a', '/p/slug', 'https://user:pw@host'])('refuse the address %j', baseUrl => {
    expect(() => createSallyport({ baseUrl, apiKey })).toThrow(/^baseUrl must be/)
  })

  test('refuse a missing key', () => {
    expect(() => createSallyport({ baseUrl: 'http://a', apiKey: '' })).toThrow(/^apiKey must be/)
  })
})

describe('an API key', () => {
  afterEach(() => void vi.unstubAllGlobals())
  const create = () => createSallyport({ baseUrl: 'http://a', apiKey })

  test.each<[string, Record<string, unknown>]>([
    ['a page', { document: {} }],
    ['a worker of a page', { WorkerGlobalScope: class {}, navigator: { userAgent: 'Mozilla/5.0 (X11) Chrome/150' } }],
    ['React Native', { navigator: { product: 'ReactNative' } }],
  ])('is refused in %s', (_where, globals) => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
    expect(create).toThrow(/must not run in a browser/)
  })

  test.each<[string, Record<string, unknown>]>([
    ['Cloudflare Workers', { WorkerGlobalScope: class {}, navigator: { userAgent: 'Cloudflare-Workers' } }],
    ['a worker of Deno', { WorkerGlobalScope: class {}, navigator: { userAgent: 'Deno/2.5.0' } }],
    ['old Deno', { window: globalThis, navigator: { userAgent: 'Deno/1.40' } }],
    ['an edge runtime without a navigator', { navigator: undefined, EdgeRuntime: 'edge-runtime' }],
  ])('works in %s', (_where, globals) => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
    expect(create).not.toThrow()
  })
})
