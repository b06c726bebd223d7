// Tokens in programs of end users, against a token endpoint that answers as a test tells it to.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTokenProvider, SallyportError, type TokenAnswer } from '../src/index.ts'
import { caught, startAnswering } from './answering-server.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)

/** Each call is another token. */
function counting(describe: (index: number) => TokenAnswer | string) {
  const contexts: { isRejected: boolean }[] = []
  const provide = createTokenProvider(context => describe(contexts.push({ ...context }) - 1))
  return { provide, contexts }
}

const jwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`
const inSeconds = (seconds: number) => Date.now() + seconds * 1000

describe('a token', () => {
  test.each<[string, () => TokenAnswer]>([
    ['a ttl', () => ({ token: 'a', ttl: 100 })],
    ['a time', () => ({ token: 'a', expiresAt: new Date(inSeconds(100)).toISOString() })],
    ['milliseconds', () => ({ token: 'a', expiresAt: inSeconds(100) })],
    ['the gateway’s own fields', () => ({ access_token: 'a', expires_in: 100 })],
    ['a ttl, whatever the clock of the server says', () => ({ token: 'a', ttl: 100, expiresAt: inSeconds(-5_000) })],
  ])('is kept until shortly before it expires, by %s', async (_what, answer) => {
    const { provide, contexts } = counting(answer)
    await provide()
    pass(89)
    await provide()
    expect(contexts).toHaveLength(1)
    pass(2)
    await provide()
    expect(contexts).toHaveLength(2)
  })

  test('of an identity provider lasts as long as its own `exp` says', async () => {
    const { provide, contexts } = counting(() => jwt({ sub: 'ü', exp: Math.floor(inSeconds(3600) / 1000) }))
    await provide()
    pass(3560)
    await provide()
    expect(contexts).toHaveLength(1)
    pass(20)
    await provide()
    expect(contexts).toHaveLength(2)
  })

  test.each(['opaque', 'a.%%%.c', 'a.b.c', jwt({}), jwt({ exp: 'x' })])(
    'that does not say how long it lasts is fetched each time: %s',
    async token => {
      const { provide, contexts } = counting(() => token)
      expect([await provide(), await provide()]).toEqual([token, token])
      expect(contexts).toHaveLength(2)
    },
  )

  test('is fetched once for all who ask at the same time', async () => {
    const { provide, contexts } = counting(index => ({ token: `t${index}`, ttl: 100 }))
    expect(await Promise.all([provide(), provide(), provide()])).toEqual(['t0', 't0', 't0'])
    expect(contexts).toHaveLength(1)
  })

  test('comes with its session', async () => {
    const { provide } = counting(() => ({ token: 'a', ttl: 100, sessionId: 's-1' }))
    expect(await provide.current()).toEqual({
      token: 'a',
      sessionId: 's-1',
      expiresAt: new Date(inSeconds(100)).toISOString(),
    })
  })

  test('that was rejected is replaced once, and the endpoint is told why', async () => {
    const { provide, contexts } = counting(index => ({ token: `t${index}`, ttl: 100 }))
    const rejected = await provide()
    provide.reject(rejected)
    expect(await provide()).toBe('t1')
    provide.reject(rejected)
    expect(await provide()).toBe('t1')
    pass(95)
    expect(await provide()).toBe('t2')
    expect(contexts.map(({ isRejected }) => isRejected)).toEqual([false, true, false])
  })
})

describe('a token endpoint', () => {
  const providerOf = async (...answering: Parameters<typeof startAnswering>) => {
    const { url, received } = await startAnswering(...answering)
    return { provide: createTokenProvider(() => fetch(`${url}/token`)), received }
  }

  test('answers a fetch', async () => {
    const { provide, received } = await providerOf(() => ({ body: { token: 'a', ttl: 100 } }))
    expect([await provide(), await provide()]).toEqual(['a', 'a'])
    expect(received).toHaveLength(1)
  })

  test('that refuses is an error in its own words, and is asked again', async () => {
    const { provide } = await providerOf((_, index) =>
      index === 0 ? { status: 401, body: { error: 'Sign in first' } } : { body: { token: 'a', ttl: 100 } },
    )
    const error = await caught(provide())
    expect(error).toBeInstanceOf(SallyportError)
    expect(error).toMatchObject({ status: 401, message: 'Sign in first', retryable: false })
    expect(await provide()).toBe('a')
  })

  test('that fails does no harm while the token is valid', async () => {
    let answers = 0
    const { provide } = await providerOf(() => (answers++ === 0 ? { body: { token: 'a', ttl: 100 } } : 'cut'))
    await provide()
    pass(92)
    expect(await provide()).toBe('a')
    pass(8)
    expect(await caught(provide())).toMatchObject({ status: 0, code: 'UNREACHABLE' })
  })

  test.each([{ body: '<html>' }, { body: { token: '' } }, { body: [] }])('without a token: %j', async answer => {
    const { provide } = await providerOf(() => answer)
    expect(await caught(provide())).toMatchObject({ code: 'INVALID_RESPONSE' })
  })

  test('must not hand out the API key', async () => {
    const { provide } = counting(() => ({ token: 'service_sk_live_0011', ttl: 100 }))
    expect(String(await caught(provide()))).toMatch(/answered with the API key itself/)
  })

  test('may throw what it likes', async () => {
    const signedOut = new Error('nobody is signed in')
    const provide = createTokenProvider(() => Promise.reject(signedOut))
    expect(await caught(provide())).toBe(signedOut)
  })
})
