// Tokens of users without an account, against a gateway that answers as a test tells it to. The proofs are real.
import { createHash } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { anonymousTokens } from '../src/index.ts'
import { caught, startAnswering } from './answering-server.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const challenge = '1796000000.10.hVh4t2mWJ0m3cY7d9QxR2A.kq3mB7wZr1nX5sVt8yLp0cDf2gHj4aEi6oUu9TzR1bM'

async function startGateway(difficulty = 10) {
  let minted = 0
  const server = await startAnswering(({ url }) =>
    url.endsWith('/challenge')
      ? { body: { challenge, difficulty } }
      : { body: { access_token: `token-${minted++}`, expires_in: 600, uid: 'anon:0123456789012345678901' } },
  )
  const mints = () => server.received.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body))
  return { ...server, mints }
}

const zeroBits = (text: string) => Math.clz32(createHash('sha256').update(text).digest().readUInt32BE(0))

describe('anonymousTokens', () => {
  test('proves work and gets a token, which it keeps', async () => {
    const gateway = await startGateway()
    const tokens = anonymousTokens({ baseUrl: gateway.url })
    expect([await tokens(), await tokens()]).toEqual(['token-0', 'token-0'])
    const [mint] = gateway.mints()
    expect(mint.attestation.kind).toBe('proof_of_work')
    expect(mint.attestation.token.startsWith(`${challenge}.`)).toBe(true)
    expect(zeroBits(mint.attestation.token)).toBeGreaterThanOrEqual(10)
    expect(mint.device).toMatch(/^[0-9a-f]{32}$/)
    expect(gateway.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /v1/auth/anonymous/challenge',
      'POST /v1/auth/anonymous',
    ])
  })

  test('shows another attestation instead, and no device if there is none to be', async () => {
    const gateway = await startGateway()
    const attestation = { kind: 'turnstile' as const, token: 'from the widget' }
    await anonymousTokens({ baseUrl: gateway.url, attest: () => attestation, device: null })()
    expect(gateway.mints()).toEqual([{ attestation }])
  })

  test('keeps the device where the page has storage, and does without where it has none', async () => {
    const kept = new Map<string, string>()
    vi.stubGlobal('localStorage', {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => void kept.set(name, value),
    })
    const gateway = await startGateway()
    await anonymousTokens({ baseUrl: gateway.url })()
    await anonymousTokens({ baseUrl: gateway.url })()
    vi.stubGlobal('localStorage', undefined)
    await anonymousTokens({ baseUrl: gateway.url })()
    const [first, second, third] = gateway.mints().map(({ device }) => device)
    expect(second).toBe(first)
    expect([...kept.values()]).toEqual([first])
    expect(third).not.toBe(first)
  })

  test('stops the work when its signal aborts', async () => {
    const gateway = await startGateway(32)
    const controller = new AbortController()
    const tokens = anonymousTokens({ baseUrl: gateway.url, signal: controller.signal })
    const waiting = caught(tokens())
    setTimeout(() => controller.abort(new Error('the page was left')), 100)
    expect(await waiting).toMatchObject({ message: 'the page was left' })
    expect(gateway.mints()).toEqual([])
  })

  test('works with a clock that is an hour off', async () => {
    const gateway = await startGateway()
    for (const hours of [-1, 1]) {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 })
      const tokens = anonymousTokens({ baseUrl: gateway.url })
      const token = await tokens()
      expect(await tokens()).toBe(token)
    }
  })

  test('does not repeat a mint, whose attestation counts once, and says what the gateway says', async () => {
    const gateway = await startAnswering(({ url }) =>
      url.endsWith('/challenge')
        ? { body: { challenge, difficulty: 1 } }
        : { status: 503, body: { error: 'The attestation could not be checked', code: 'attestation_unavailable' } },
    )
    const error = await caught(anonymousTokens({ baseUrl: gateway.url })())
    expect(error).toMatchObject({ status: 503, code: 'attestation_unavailable' })
    expect(gateway.received).toHaveLength(2)
  })

  test('works in a worker where there are workers, and ends it', async () => {
    const ended: string[] = []
    vi.stubGlobal(
      'Worker',
      class {
        onmessage: ((event: { data: unknown }) => void) | null = null
        constructor(address: string) {
          void this.run(address)
        }
        async run(address: string) {
          const program = await (await fetch(address)).text()
          const postMessage = (data: unknown) => this.onmessage?.({ data })
          new Function('postMessage', program)(postMessage)
        }
        terminate() {
          ended.push('terminated')
        }
      },
    )
    const gateway = await startGateway()
    await anonymousTokens({ baseUrl: gateway.url })()
    expect(zeroBits(gateway.mints()[0].attestation.token)).toBeGreaterThanOrEqual(10)
    expect(ended).toEqual(['terminated'])
  })
})
