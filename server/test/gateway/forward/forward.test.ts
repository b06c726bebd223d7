// Tests forwarding to real upstreams: the request they get, the response that is returned and when, and the settlement.
import { describe, expect, it } from 'vitest'
import { usageHeader } from '../../../src/call/inference-port.ts'
import { sendRaw } from '../../http/raw-request.ts'
import {
  completion,
  delta,
  openStream,
  projectId,
  promptEstimate,
  requestText,
  runForwarder,
  startUpstream,
  tenantId,
  until,
} from './forward-stage.ts'

const usage = { prompt_tokens: 11, completion_tokens: 4, total_tokens: 15 }
const answer = JSON.stringify({ id: 'c', object: 'chat.completion', choices: [], usage })

describe('the request', () => {
  it('arrives with its path, query and exact bytes', async () => {
    const seen: { url?: string; method?: string; body?: string } = {}
    const upstream = await startUpstream(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      Object.assign(seen, { url: request.url, method: request.method, body: Buffer.concat(chunks).toString() })
      response.setHeader('content-type', 'application/json').end(answer)
    })
    const { port } = await runForwarder(`${upstream}/inner/`)
    const body = '{ "messages" : [],\n "stream":false, "ü":"\\u00fc" }'
    const { answers } = await sendRaw(port, Buffer.from(requestText([], body, '/v1/chat/completions?a=b%20c')))
    expect(answers[0]?.status).toBe(200)
    expect(seen).toEqual({ url: '/inner/v1/chat/completions?a=b%20c', method: 'POST', body })
  })

  it('without a body arrives without one, and settles nothing where nothing was reserved', async () => {
    const upstream = await startUpstream((request, response) => {
      if (request.method === 'DELETE') response.writeHead(204).end()
      else response.setHeader('content-type', 'application/json').end(JSON.stringify(request.headers))
    })
    const { port } = await runForwarder(upstream)
    const get = await sendRaw(port, 'GET /v1/threads HTTP/1.1\r\nHost: shop.localhost\r\n\r\n')
    expect(JSON.parse(get.answers[0]!.body)).not.toHaveProperty('content-length')
    const deleted = await sendRaw(port, 'DELETE /v1/threads/x HTTP/1.1\r\nHost: shop.localhost\r\n\r\n')
    expect(deleted.answers[0]).toMatchObject({ status: 204, body: '' })
    expect(deleted.answers[0]?.headers).not.toHaveProperty('content-length')
  })
})

describe('a plain answer', () => {
  it.each([
    ['the length that its upstream announces', { 'content-length': '15' }, '15'],
    ['none where its upstream announces none', { 'transfer-encoding': 'chunked' }, undefined],
  ])('to HEAD has %s', async (_case, announced, expected) => {
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', ...announced }).end()
    })
    const { port } = await runForwarder(upstream)
    const { text } = await sendRaw(port, 'HEAD /v1/threads HTTP/1.1\r\nHost: shop.localhost\r\n\r\n')
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]+\r\n\r\n$/)
    expect(/^content-length: (.*)$/im.exec(text)?.[1]?.trim()).toBe(expected)
    expect(text).not.toMatch(/^transfer-encoding/im)
  })

  it('comes back byte for byte with its own head, less what is ours to say', async () => {
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        'set-cookie': 'a=b',
        server: 'secret/1.0',
        'x-powered-by': 'secret',
        'x-request-id': 'theirs',
        'x-ratelimit-limit-requests': '1',
        'access-control-allow-origin': '*',
        'x-internal-secret': 'secret',
        connection: 'keep-alive, x-odd',
        'x-odd': '1',
        'cache-control': 'no-cache',
      })
      response.end(answer)
    })
    const { port, calls } = await runForwarder(upstream)
    const { answers } = await sendRaw(port, requestText())
    expect(answers[0]?.body).toBe(answer)
    expect(Object.keys(answers[0]!.headers).sort()).toEqual([
      'cache-control',
      'connection',
      'content-length',
      'content-type',
      'date',
      'keep-alive',
      'x-request-id',
    ])
    expect(answers[0]?.headers).toMatchObject({ 'x-request-id': calls[0]!.requestId, 'cache-control': 'no-cache' })
    expect(calls[0]?.settled).toEqual([15])
  })

  it('that does not name its type is JSON where it is', async () => {
    const upstream = await startUpstream((_request, response) => void response.end(answer))
    const { port, calls } = await runForwarder(upstream)
    const { answers } = await sendRaw(port, requestText())
    expect(answers[0]).toMatchObject({ status: 200, body: answer, headers: { 'content-type': 'application/json' } })
    expect(calls[0]?.settled).toEqual([15])
  })

  it('goes out in one piece', async () => {
    const upstream = await startUpstream((_request, response) => {
      response.setHeader('content-type', 'application/json').write(answer.slice(0, 20))
      setTimeout(() => response.end(answer.slice(20)), 50)
    })
    const { port } = await runForwarder(upstream)
    const client = openStream(port)
    const pieces: string[] = []
    client.socket.on('data', (chunk: Buffer) => pieces.push(chunk.toString()))
    await until(() => pieces.join('').endsWith(answer))
    expect(pieces).toHaveLength(1)
  })

  it.each([
    [400, {}, 'false'],
    [404, {}, 'false'],
    [408, {}, undefined],
    [409, {}, undefined],
    [429, { 'retry-after': '5' }, undefined],
    [429, { 'retry-after': '61' }, 'false'],
    [422, { 'x-should-retry': 'true' }, 'true'],
    [500, {}, undefined],
    [503, { 'retry-after': '2' }, undefined],
  ])(
    'of status %s with %j keeps its words, costs nothing and says whether to retry',
    async (status, headers, expected) => {
      const body = JSON.stringify({ error: { message: 'm', type: 't', param: null, code: 'c' }, usage })
      const upstream = await startUpstream((_request, response) => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
      })
      const { port, calls } = await runForwarder(upstream)
      const { answers } = await sendRaw(port, requestText())
      expect(answers[0]).toMatchObject({ status, body })
      expect(answers[0]?.headers['x-should-retry']).toBe(expected)
      if ('retry-after' in headers) expect(answers[0]?.headers['retry-after']).toBe(headers['retry-after'])
      expect(calls[0]?.settled).toEqual([0])
    },
  )

  it('without usage is counted, on top of the prompt', async () => {
    const body = JSON.stringify({ choices: [{ message: { content: 'x'.repeat(400) } }] })
    const upstream = await startUpstream((_request, response) => {
      response.setHeader('content-type', 'application/json').end(body)
    })
    const { port, calls } = await runForwarder(upstream)
    await sendRaw(port, requestText())
    expect(calls[0]?.settled).toEqual([promptEstimate + Math.ceil(body.length / 4)])
  })

  it.each([
    ['a process of ours', 'a-secret-between-two-services', '9', 9],
    ['a process of ours that says it in no number', 'a-secret-between-two-services', '9.5', 15],
    ['a process of ours that says more than any answer costs', 'a-secret-between-two-services', '9999999999', 15],
    ['somebody without our secret', null, '9', 15],
  ])(
    'whose head says its cost, from %s, settles on it or not and does not show it',
    async (_name, secret, told, settled) => {
      const upstream = await startUpstream((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', [usageHeader]: told }).end(answer)
      })
      const { port, calls } = await runForwarder(upstream, { internalSecret: secret })
      const { answers } = await sendRaw(port, requestText())
      expect(answers[0]).toMatchObject({ status: 200, body: answer })
      expect(Object.keys(answers[0]!.headers)).not.toContain(usageHeader)
      expect(calls[0]?.settled).toEqual([settled])
    },
  )

  it('larger than what is gathered passes through whole, its usage read from its end', async () => {
    const large = JSON.stringify({ choices: [{ message: { content: 'é'.repeat(3 << 20) } }], usage })
    const upstream = await startUpstream((_request, response) => {
      response.setHeader('content-type', 'application/json').end(large)
    })
    const { url, calls } = await runForwarder(upstream)
    const response = await fetch(`${url}/p/shop/v1/chat/completions`, {
      method: 'POST',
      body: completion,
      headers: { 'content-type': 'application/json' },
    })
    expect(await response.text()).toBe(large)
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(large)))
    expect(calls[0]?.settled).toEqual([15])
  })
})

describe('an event stream', () => {
  it('arrives event by event, unchanged, and settles on its usage', async () => {
    const events = ['one', 'two', 'drei ü🙂'].map(delta)
    let next: () => void = () => undefined
    const upstream = await startUpstream(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      for (const event of events) {
        await new Promise<void>(resolve => {
          next = resolve
        })
        response.write(event)
      }
      await new Promise<void>(resolve => {
        next = resolve
      })
      response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`)
    })
    const { port, calls } = await runForwarder(upstream)
    const client = openStream(port)
    await until(() => calls.length === 1)
    await new Promise(resolve => setTimeout(resolve, 100))
    for (let count = 1; count <= events.length; count++) {
      next()
      const soFar = events.slice(0, count).join('')
      await until(() => client.body().toString() === soFar)
      expect(client.isComplete()).toBe(false)
    }
    next()
    await until(() => client.isComplete())
    expect(client.body().toString()).toMatch(/data: \[DONE\]\n\n$/)
    expect(client.text()).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(client.text()).toMatch(/\r\nx-accel-buffering: no\r\n/i)
    expect(calls[0]?.settled).toEqual([15])
  })

  it('without usage settles on the events counted, on top of the prompt', async () => {
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`${delta('a').repeat(20)}data: [DONE]\n\n`)
    })
    const { port, calls } = await runForwarder(upstream)
    const client = openStream(port)
    await until(() => client.isComplete())
    expect(calls[0]?.settled).toEqual([promptEstimate + 20])
  })

  it('lasts as long as it likes while something comes', async () => {
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      let count = 0
      const timer = setInterval(() => {
        response.write(': ping\n\n')
        if (++count < 35) return
        clearInterval(timer)
        response.end(delta('late'))
      }, 100)
    })
    const { port } = await runForwarder(upstream, { timeoutMs: 2_500, idleTimeoutMs: 2_500 })
    const client = openStream(port)
    await until(() => client.isComplete())
    expect(client.body().toString()).toContain('late')
  })

  it('that ends in the middle of an event keeps every byte', async () => {
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`${delta('a')}data: [DONE]`)
    })
    const { port } = await runForwarder(upstream)
    const client = openStream(port)
    await until(() => client.isComplete())
    expect(client.body().toString()).toBe(`${delta('a')}data: [DONE]`)
  })

  it('passes an event larger than what is held back', async () => {
    const large = delta('i'.repeat(3 << 20))
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`${delta('a')}${large}${delta('b')}`)
    })
    const { port, calls } = await runForwarder(upstream)
    const client = openStream(port)
    await until(() => client.isComplete())
    expect(client.body().toString()).toBe(`${delta('a')}${large}${delta('b')}`)
    expect(calls[0]?.settled).toEqual([promptEstimate + 3])
  })
})

describe('the headers', () => {
  async function forwardedHeaders(lines: readonly string[], options: Parameters<typeof runForwarder>[1] = {}) {
    const heads: string[][] = []
    const upstream = await startUpstream((request, response) => {
      heads.push(request.rawHeaders)
      response.setHeader('content-type', 'application/json').end(answer)
    })
    const { port, calls } = await runForwarder(upstream, options)
    const exchange = await sendRaw(port, Buffer.from(requestText(lines), 'latin1'))
    const raw = heads[0] ?? []
    const names = raw.filter((_, index) => index % 2 === 0).map(name => name.toLowerCase())
    const values = Object.fromEntries(names.map((name, index) => [name, raw[index * 2 + 1]]))
    return { names, values, requestId: calls[0]?.requestId, status: exchange.answers[0]?.status, upstream }
  }

  const injected = {
    'x-tenant-id': tenantId,
    'x-project-id': projectId,
    'x-end-user-id': 'alice',
    'x-role': 'user',
    'x-tier': '',
    'x-scopes': '["llm:invoke"]',
    'x-auth-provider': 'service',
  }
  const forged = [
    'X-Tenant-Id: forged',
    'X-Project-Id: forged',
    'X-End-User-Id: forged',
    'X-Role: admin',
    'X-Tier: forged',
    'X-Scopes: ["*"]',
    'X-Auth-Provider: forged',
    'X-Internal-Secret: forged',
    'X-Request-Id: forged',
    'X-Forwarded-For: 203.0.113.1',
    'X-Forwarded-Host: forged',
    'X-Forwarded-Proto: https',
    'Forwarded: for=203.0.113.1',
    'X-Real-IP: 203.0.113.1',
    'X-Original-URL: /forged',
    'Authorization: Bearer forged',
    'Proxy-Authorization: forged',
    'Cookie: a=forged',
    'X_Tenant_Id: forged',
    'X_Role: forged',
    'X-Tenant_Id: forged',
    'Via: forged',
    'TE: trailers',
    'X-Anything: forged',
  ]

  it('name the caller once, and nothing that a client forged is among them', async () => {
    const { names, values, requestId, status, upstream } = await forwardedHeaders(forged)
    expect(status).toBe(200)
    expect(values).toEqual({
      ...injected,
      host: new URL(upstream).host,
      connection: 'keep-alive',
      'content-type': 'application/json',
      'content-length': String(completion.length),
      'accept-encoding': 'identity',
      'x-request-id': requestId,
    })
    expect(new Set(names).size).toBe(names.length)
  })

  it('survive a Connection header that lists them, and drop what it lists of the client', async () => {
    const { values, status } = await forwardedHeaders(
      [
        'Connection: X-Tenant-Id, x-role, X-Internal-Secret, User-Agent, close',
        'X-Role: admin',
        'User-Agent: gone',
        'Accept: text/kept',
      ],
      { internalSecret: 'the-secret' },
    )
    expect(status).toBe(200)
    expect(values).toMatchObject({ ...injected, accept: 'text/kept', 'x-internal-secret': 'the-secret' })
    expect(values).not.toHaveProperty('user-agent')
  })

  it('carry the secret and the conversation where there is one', async () => {
    const identity = { sessionId: 's:1', threadId: 't.2', tier: 'pro' }
    const agent = ['X-Claude-Code-Session-Id: cc-1', 'X-Claude-Code-Agent-Id: a-1', 'X-Claude-Code-Other: no']
    const { values } = await forwardedHeaders(['User-Agent: OpenAI/JS', 'X-Stainless-Lang: js', ...agent], {
      internalSecret: 'the-secret',
      identity,
    })
    expect(values).toMatchObject({
      'x-internal-secret': 'the-secret',
      'x-session-id': 's:1',
      'x-thread-id': 't.2',
      'x-tier': 'pro',
      'user-agent': 'OpenAI/JS',
      'x-stainless-lang': 'js',
      'x-claude-code-session-id': 'cc-1',
      'x-claude-code-agent-id': 'a-1',
    })
    expect(values).not.toHaveProperty('x-claude-code-other')
  })

  it.each([
    ['alice@example.com', 'alice@example.com'],
    ['John Doe', 'John Doe'],
    [' edge ', '%20edge%20'],
    ['müller', 'm%C3%BCller'],
    ['%C3%BC', '%25C3%25BC'],
    ['a\r\nX-Role: admin', 'a%0D%0AX-Role%3A%20admin'],
    ['a\u0000b', 'a%00b'],
    ['\u2028', '%E2%80%A8'],
    ['🙂', '%F0%9F%99%82'],
    ['ＡＤＭＩＮ', '%EF%BC%A1%EF%BC%A4%EF%BC%AD%EF%BC%A9%EF%BC%AE'],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    ["'; DROP TABLE users; --", "'; DROP TABLE users; --"],
    ['\ud800', '%EF%BF%BD'],
    ['a,b', 'a,b'],
  ])('name the end user %j as %j', async (userId, expected) => {
    const { values, status } = await forwardedHeaders([], { identity: { userId } })
    expect(status).toBe(200)
    expect(values).toMatchObject({ ...injected, 'x-end-user-id': expected })
  })
})
