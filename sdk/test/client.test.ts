// The mint client against a real HTTP server that answers as the gateway does.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { createSallyport, SallyportError } from '../src/client.ts'

interface Answer {
  status: number
  body: string
}

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function serve(answer: (request: IncomingMessage, body: string) => Answer | null): Promise<string> {
  const server = createServer(async (request, response) => {
    const answered = answer(request, await text(request))
    if (answered !== null) response.writeHead(answered.status).end(answered.body)
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}

const apiKey = 'service_sk_live_00112233445566778899aabbccddeeff'
const granted = { access_token: 'a.b.c', token_type: 'Bearer', project_id: 'p', expires_in: 120, session_id: 's-1' }

test('a mint sends the wire fields and returns token, ttl, sessionId and expiresAt', async () => {
  let seen: unknown
  const baseUrl = await serve((request, body) => {
    seen = [request.method, request.url, request.headers.authorization, JSON.parse(body)]
    return { status: 200, body: JSON.stringify(granted) }
  })
  const before = Date.now()
  const sallyport = createSallyport({ baseUrl: `${baseUrl}/p/amber-falcon-4821/`, apiKey })
  const minted = await sallyport.mint({ userId: 'u1', ttlSeconds: 120, role: 'user', tier: 'gold', sessionId: 's-1' })
  expect(seen).toEqual([
    'POST',
    '/p/amber-falcon-4821/v1/auth/mint',
    `Bearer ${apiKey}`,
    { user_id: 'u1', ttl: 120, role: 'user', tier: 'gold', session_id: 's-1' },
  ])
  expect(minted).toEqual({ token: 'a.b.c', ttl: 120, sessionId: 's-1', expiresAt: expect.any(String) })
  const lifetimeMs = Date.parse(minted.expiresAt) - before
  expect(lifetimeMs).toBeGreaterThanOrEqual(120_000)
  expect(lifetimeMs).toBeLessThan(130_000)
})

test('what is not given is not sent', async () => {
  let sent: unknown
  const baseUrl = await serve((_request, body) => {
    sent = JSON.parse(body)
    return { status: 200, body: JSON.stringify(granted) }
  })
  await createSallyport({ baseUrl, apiKey }).mint({ userId: 'u1' })
  expect(sent).toEqual({ user_id: 'u1' })
})

test('a refusal carries status, code and message', async () => {
  const refusal = { error: 'Mint rate limit exceeded', code: 'RATE_LIMITED', retryable: true }
  const baseUrl = await serve(() => ({ status: 429, body: JSON.stringify(refusal) }))
  const error = await createSallyport({ baseUrl, apiKey })
    .mint({ userId: 'u1' })
    .catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(SallyportError)
  expect(error).toMatchObject({ status: 429, code: 'RATE_LIMITED', message: refusal.error, retryable: true })
})

test('an answer that is not the gateway’s still has its status', async () => {
  const baseUrl = await serve(() => ({ status: 502, body: '<html>bad gateway</html>' }))
  await expect(createSallyport({ baseUrl, apiKey }).mint({ userId: 'u1' })).rejects.toMatchObject({
    name: 'SallyportError',
    status: 502,
    code: null,
  })
})

test('a gateway that never answers ends in a timeout', async () => {
  const baseUrl = await serve(() => null)
  const sallyport = createSallyport({ baseUrl, apiKey, timeoutMs: 200 })
  await expect(sallyport.mint({ userId: 'u1' })).rejects.toMatchObject({ name: 'TimeoutError' })
})
