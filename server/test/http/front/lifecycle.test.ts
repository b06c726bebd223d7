// Probes, clocks and the stop: what a client sees while the listener lives, drains and ends.
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify, { type FastifyRequest } from 'fastify'
import { expect, it } from 'vitest'
import { getIncoming } from '../../../src/http/incoming.ts'
import { readBody } from '../../../src/http/read-body.ts'
import { replyJson } from '../../../src/http/reply.ts'
import { roomFor } from '../../support/slowness.ts'
import { sendRaw } from '../raw-request.ts'
import { runListener } from '../running-listener.ts'

const get = (path: string, host = 'localhost', method = 'GET') => `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`

it.each(['localhost', 'a-b-1.localhost', 'anything.example'])('answers probes on %s', async host => {
  const { port, arrivals } = await runListener()
  expect((await sendRaw(port, get('/healthz', host))).answers[0]).toMatchObject({
    status: 200,
    body: '{"status":"ok"}',
  })
  expect((await sendRaw(port, get('/readyz', host))).answers[0]).toMatchObject({
    status: 200,
    body: '{"status":"ready"}',
  })
  expect((await sendRaw(port, get('/healthz', host, 'HEAD'))).answers[0]?.status).toBe(200)
  const refused = await sendRaw(port, get('/readyz', host, 'POST'))
  expect(refused.answers[0]).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
  expect(arrivals).toHaveLength(0)
})

it('redirects the keep-alive on the management host alone', async () => {
  const { port, arrivals } = await runListener()
  const { answers } = await sendRaw(port, get('/keepalive'))
  expect(answers[0]).toMatchObject({ status: 302, headers: { location: '/healthz' } })
  await sendRaw(port, get('/keepalive', 'a-b-1.localhost'))
  expect(arrivals.map(({ plane }) => plane)).toEqual(['project'])
})

it('says what it waits for', async () => {
  const { port } = await runListener({ readiness: () => ['first_cycle'] })
  const { answers } = await sendRaw(port, get('/readyz'))
  expect(answers[0]).toMatchObject({ status: 503, body: '{"status":"not_ready","reasons":["first_cycle"]}' })
})

it('closes slow headers and idle connections', async () => {
  const limits = { headersTimeoutMs: 300, requestTimeoutMs: 400, keepAliveTimeoutMs: 200, checkIntervalMs: 50 }
  const { port, arrivals } = await runListener({ limits })
  const slow = await sendRaw(port, 'GET /x HTTP/1.1\r\nHost: local', { quietMs: 5_000 })
  expect(slow).toMatchObject({ closed: true, answers: [{ status: 408 }] })
  expect(arrivals).toHaveLength(0)
  const idle = await sendRaw(port, get('/x'), { quietMs: 6_000 })
  expect(idle).toMatchObject({ closed: true, answers: [{ status: 200 }] })
})

it('ends a refused connection whose client goes on sending', async () => {
  const { port } = await runListener()
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const closed = new Promise(resolve => socket.once('close', resolve).on('error', () => socket.destroy()))
  socket.write('nonsense\r\n\r\n')
  socket.resume()
  const sending = setInterval(() => socket.write('x'), 50)
  const started = Date.now()
  await closed
  clearInterval(sending)
  expect(Date.now() - started).toBeLessThan(roomFor(8_000))
})

it('closes a slow body that no plane reads', async () => {
  const limits = { headersTimeoutMs: 200, requestTimeoutMs: 300, checkIntervalMs: 50 }
  const { port } = await runListener({ limits, plane: () => undefined })
  const raw = 'POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n1'
  const { answers, closed } = await sendRaw(port, raw, { quietMs: 5_000 })
  expect(answers.map(({ status }) => status)).toEqual([408])
  expect(closed).toBe(true)
})

it('drains: not ready, still serving, every connection closing after its answer', async () => {
  let release: () => void = () => undefined
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  const { port, listener, arrivals } = await runListener({
    plane: async (_request, response, { path }) => {
      if (path === '/held') await held
      replyJson(response, 200, {})
    },
  })
  const idle = sendRaw(port, get('/quick'), { quietMs: 10_000 })
  const inFlight = sendRaw(port, get('/held'), { quietMs: 10_000 })
  await expect.poll(() => arrivals).toHaveLength(2)
  const closing = listener.close(8_000)
  expect((await sendRaw(port, get('/readyz'))).answers[0]).toMatchObject({
    status: 503,
    headers: { connection: 'close' },
    body: '{"status":"not_ready","reasons":["draining"]}',
  })
  expect((await sendRaw(port, get('/healthz'))).answers[0]?.status).toBe(200)
  expect((await sendRaw(port, get('/late'))).answers[0]?.status).toBe(200)
  release()
  expect(await inFlight).toMatchObject({ closed: true, answers: [{ status: 200, headers: { connection: 'close' } }] })
  expect((await idle).closed).toBe(true)
  await closing
  expect((await sendRaw(port, get('/healthz'))).answers).toHaveLength(0)
})

it('accepts others for two thirds of its time, and gives those the rest of it', async () => {
  const { port, listener, lines, arrivals } = await runListener({
    plane: async (_request, response, { path }) => {
      await sleep(path === '/late' ? 4_200 : 60_000, undefined, { ref: false })
      replyJson(response, 200, {})
    },
  })
  const endless = sendRaw(port, get('/endless'), { quietMs: 20_000 })
  await expect.poll(() => arrivals).toHaveLength(1)
  const closing = listener.close(6_000)
  const late = sendRaw(port, get('/late'), { quietMs: 20_000 })
  await sleep(500)
  const answersNow = async () => (await sendRaw(port, get('/healthz'))).answers.length
  expect(await answersNow()).toBe(1)
  await expect.poll(answersNow).toBe(0)
  expect((await late).answers[0]?.status).toBe(200)
  await closing
  expect((await endless).answers).toHaveLength(0)
  expect(lines.filter(line => line.includes('requests in flight cut off'))).toHaveLength(1)
})

it('cuts open streams off at the deadline, after their last line', async () => {
  const { port, listener, lines, arrivals } = await runListener({
    plane: (_request, response, incoming) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 1\n\n')
      incoming.onCutOff(() => {
        if (incoming.path === '/deaf') throw new Error('cannot')
        response.end('data: {"error":"server_shutting_down"}\n\n')
      })
    },
  })
  const streams = ['/stream', '/deaf', '/stream'].map(path => sendRaw(port, get(path), { quietMs: 10_000 }))
  await expect.poll(() => arrivals).toHaveLength(3)
  const started = Date.now()
  await listener.close(300)
  expect(Date.now() - started).toBeGreaterThanOrEqual(290)
  expect(Date.now() - started).toBeLessThan(roomFor(4_000))
  const [first, deaf, last] = await Promise.all(streams)
  for (const stream of [first, last]) expect(stream?.text).toContain('server_shutting_down')
  expect(deaf).toMatchObject({ closed: true })
  expect(lines.filter(line => line.includes('cut-off callback failed'))).toHaveLength(1)
})

it('does not wait for connections that ask nothing', async () => {
  const { port, listener } = await runListener()
  const silent = connect(port, '127.0.0.1')
  silent.on('error', () => silent.destroy())
  await new Promise(resolve => silent.once('connect', resolve))
  await sleep(50)
  const started = Date.now()
  await listener.close(20_000)
  expect(Date.now() - started).toBeLessThan(roomFor(5_000))
  silent.destroy()
})

it('fails to listen on a taken port', async () => {
  const { port } = await runListener()
  await expect(runListener({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

it('carries a Fastify application as the management plane', async () => {
  const app = Fastify({ genReqId: request => getIncoming(request).id, logger: false })
  app.addHook('onRequest', async request => {
    getIncoming(request.raw).logContext.route = request.routeOptions.url
  })
  // The framework's own reader gathers pieces, which these requests do not give.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', async ({ raw }: FastifyRequest) => {
    const { value } = await readBody(raw, { maxBytes: 1_000 })
    return value
  })
  app.post('/auth/v1/things/:id', async (request, reply) => {
    await reply.code(201).send({ id: request.id, params: request.params, query: request.query, body: request.body })
  })
  await app.ready()
  const { port, arrivals, lines } = await runListener({ plane: (request, response) => app.routing(request, response) })
  const raw =
    'POST http://localhost/auth/v1/things/a%20b?q=1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
    'Content-Length: 7\r\n\r\n{"a":1}'
  const { answers } = await sendRaw(port, raw)
  const { id } = arrivals[0]!.incoming
  expect(answers[0]).toMatchObject({ status: 201, headers: { 'x-request-id': id } })
  expect(JSON.parse(answers[0]!.body)).toEqual({ id, params: { id: 'a b' }, query: { q: '1' }, body: { a: 1 } })
  expect(lines.map(line => JSON.parse(line))).toContainEqual(
    expect.objectContaining({
      event: 'request',
      request_id: id,
      plane: 'management',
      method: 'POST',
      route: '/auth/v1/things/:id',
      status: 201,
    }),
  )
  await app.close()
})
