// Tests a gateway without the api role: it forwards mints to that role and, if that fails, returns an error in the
// mint's format.
import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createMintForwarder } from '../../../src/gateway/forward/forward-mint.ts'
import { replyJson } from '../../../src/http/reply.ts'
import { createLog } from '../../../src/log/log.ts'
import { createOutbound } from '../../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../../src/outbound/policy.ts'
import { sendRaw } from '../../http/raw-request.ts'
import { internalSecret, runListener } from '../../http/running-listener.ts'
import { startRawUpstream, startUpstream } from './forward-stage.ts'

const minted = JSON.stringify({ access_token: 't', token_type: 'Bearer', session_id: 's' })

async function runMint(apiUrl: string, options: { internalSecret?: string | null; timeoutMs?: number } = {}) {
  const log = createLog({ level: 'silent', destination: { write: () => undefined } })
  const outbound = createOutbound({ allow: parseOutboundAllow(undefined), log })
  onTestFinished(() => outbound.close())
  const plane = createMintForwarder({ outbound, apiUrl, internalSecret: null, log, ...options })
  const { port } = await runListener({ plane })
  return (lines: readonly string[] = [], body = '{"user_id":"alice"}', method = 'POST') =>
    sendRaw(
      port,
      [
        `${method} /v1/auth/mint HTTP/1.1`,
        'Host: shop.localhost',
        'Authorization: Bearer service_sk_live_x',
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        ...lines,
        '',
        body,
      ].join('\r\n'),
    ).then(({ answers }) => answers[0])
}

describe('a mint', () => {
  it('arrives with credential, body and client address, and comes back as it was answered', async () => {
    let seen: { url?: string | undefined; headers?: IncomingHttpHeaders; body?: string } = {}
    const listener: RequestListener = async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      seen = { url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() }
      response
        .writeHead(201, { 'content-type': 'application/json', 'set-cookie': 'a=b', 'retry-after': '3' })
        .end(minted)
    }
    const mint = await runMint(`${await startUpstream(listener)}/`)
    const answer = await mint(['X-Forwarded-For: 203.0.113.9', 'Cookie: a=b', 'X-Internal-Secret: forged'])
    expect(answer).toMatchObject({ status: 201, body: minted })
    expect(answer?.headers).toMatchObject({ 'retry-after': '3', 'x-request-id': expect.any(String) })
    expect(answer?.headers).not.toHaveProperty('set-cookie')
    expect(seen).toMatchObject({ url: '/p/shop/v1/auth/mint', body: '{"user_id":"alice"}' })
    expect(seen.headers).toMatchObject({ authorization: 'Bearer service_sk_live_x', 'x-forwarded-for': '127.0.0.1' })
    expect(seen.headers).not.toHaveProperty('cookie')
    expect(seen.headers).not.toHaveProperty('x-internal-secret')
  })

  it.each([400, 401, 429, 503])('keeps the refusal %s, a body that is no JSON included', async status => {
    const refusal = JSON.stringify({ error: 'Invalid API key', retryable: true })
    const upstream = await startUpstream((_request, response) => {
      const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {}
      response.writeHead(status, { 'content-type': 'application/json', ...challenge }).end(refusal)
    })
    const mint = await runMint(upstream)
    const answer = await mint([], '{')
    expect(answer).toMatchObject({ status, body: refusal })
    expect(answer?.headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined)
  })

  it('over a megabyte is refused before it is passed on', async () => {
    let asked = 0
    const upstream = await startUpstream((_request, response) => {
      asked++
      response.end()
    })
    const mint = await runMint(upstream)
    const answer = await mint([], 'x'.repeat(1_048_577))
    expect(answer?.status).toBe(413)
    expect(JSON.parse(answer!.body)).toEqual({ error: 'Payload too large' })
    expect(asked).toBe(0)
  })

  it.each([
    ['not there', 503, 'http://127.0.0.1:1'],
    ['silent', 502, () => startRawUpstream(() => undefined)],
    ['gone in the middle', 502, () => startRawUpstream(socket => socket.destroy())],
    [
      'a page of some proxy',
      502,
      () =>
        startUpstream((_request, response) => response.writeHead(500, { 'content-type': 'text/html' }).end('<html>')),
    ],
  ] as const)('whose api role is %s is refused with %s and worth repeating', async (_name, status, upstream) => {
    const mint = await runMint(typeof upstream === 'string' ? upstream : await upstream(), { timeoutMs: 300 })
    const answer = await mint()
    expect(answer?.status).toBe(status)
    expect(JSON.parse(answer!.body)).toEqual({ error: expect.any(String), retryable: true })
  })
})

describe('the api role', () => {
  const api = () =>
    runListener({
      plane: (_request, response, incoming) => replyJson(response, 200, { ...incoming.host, path: incoming.path }),
    })

  it('knows the project of a mint that is passed on under another name of its own, by the secret', async () => {
    const { port, arrivals } = await api()
    const head = `POST /p/shop/v1/auth/mint HTTP/1.1\r\nHost: api.internal.example:8080\r\nContent-Length: 0\r\n`
    const { answers } = await sendRaw(port, `${head}X-Internal-Secret: ${internalSecret}\r\n\r\n`)
    expect(answers[0]?.status).toBe(200)
    expect(arrivals[0]?.incoming.host).toEqual({ kind: 'project', slug: 'shop', path: '/v1/auth/mint' })
    expect(await sendRaw(port, `${head}\r\n`)).toMatchObject({ answers: [{ status: 404 }] })
  })

  it('is reached with the secret where there is one', async () => {
    const { port, arrivals } = await api()
    const mint = await runMint(`http://127.0.0.1:${port}`, { internalSecret })
    expect(await mint()).toMatchObject({ status: 200 })
    expect(arrivals[0]).toMatchObject({ plane: 'project', incoming: { isInternal: true } })
  })
})
