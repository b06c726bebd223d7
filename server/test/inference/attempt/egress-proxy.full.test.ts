// The product behind an egress proxy, on both stores: a provider over https through a tunnel, an operator's service over
// http by a name that only the proxy knows, and a proxy that refuses.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request as forward } from 'node:http'
import { createServer, type Server } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listen, selfSigned } from '../../outbound/fixtures.ts'
import { describeEachBackend } from '../../support/management-harness.ts'
import { type EgressProxy, startEgressProxy } from '../../support/simulated/egress-proxy.ts'
import { say } from '../../support/simulated/provider-answers.ts'
import { type ScriptedUpstream, startUpstream } from '../../support/simulated/scripted-upstream.ts'
import { eventsOf, openStage, type Stage, textOf } from '../inference-stage.ts'

const password = 'proxy-secret-5b1e'

/** TLS in front of the scripted provider, for `localhost`. */
function serveTls(upstream: ScriptedUpstream): Server {
  return createServer(selfSigned, (incoming, outgoing) => {
    const { method, url, headers } = incoming
    const onward = forward(`${upstream.url}${url}`, { method, headers }, answer => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(onward)
  })
}

describeEachBackend('an egress proxy', (_start, backend) => {
  let stage: Stage
  let proxy: EgressProxy
  let analyzer: ScriptedUpstream
  let upstream: ScriptedUpstream
  let tls: Server
  let host: string
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-ca-'))
  beforeAll(async () => {
    ;[proxy, analyzer, upstream] = await Promise.all([startEgressProxy(), startUpstream(), startUpstream()])
    tls = serveTls(upstream)
    host = `localhost:${await listen(tls)}`
    const ca = join(folder, 'ca.pem')
    writeFileSync(ca, selfSigned.cert)
    proxy.hosts.set('presidio.example.net', Number(new URL(analyzer.url).port))
    upstream.on('GET /v1/models', { body: { object: 'list', data: [{ id: 'gpt-4o-mini', object: 'model' }] } })
    stage = await openStage(
      backend,
      {
        NODE_EXTRA_CA_CERTS: ca,
        LOG_LEVEL: 'debug',
        HTTPS_PROXY: 'http://127.0.0.1:9',
        https_proxy: `http://user:${password}@127.0.0.1:${proxy.port}`,
        HTTP_PROXY: `127.0.0.1:${proxy.port}`,
        OPENAI_BASE_URL: `https://${host}/v1`,
        EXTERNAL_RECOGNISER_URL: 'http://presidio.example.net/',
      },
      { own: true },
    )
  })
  afterAll(async () => {
    await stage.stop()
    tls.close()
    tls.closeAllConnections()
    await Promise.all([proxy.close(), analyzer.close(), upstream.close()])
    rmSync(folder, { recursive: true })
  })
  beforeEach(() => {
    proxy.refuseWith(null)
    upstream.on('POST /v1/chat/completions', ({ body }) => {
      const { stream } = JSON.parse(body) as { stream?: boolean }
      return say('openai', { text: ['Hi', ' there'] }, stream === true)
    })
  })

  test('carries completions and streams in a tunnel that is used again', async () => {
    const project = await stage.makeProject()
    const before = proxy.requests.length
    const rounds = 3
    for (let round = 0; round < rounds; round++) {
      expect(await project.complete()).toMatchObject({ status: 200 })
      const stream = await project.open()
      expect(await stream.ended).toBe(true)
      expect(textOf(eventsOf(stream.text()))).toBe('Hi there')
    }
    // On a busy machine a tunnel may still be closing when the next request needs one.
    const tunnels = proxy.requests.slice(before)
    expect(tunnels.length).toBeLessThan(2 * rounds)
    const basic = `Basic ${Buffer.from(`user:${password}`).toString('base64')}`
    expect(proxy.requests.filter(({ method }) => method === 'CONNECT')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ target: host, headers: expect.objectContaining({ 'proxy-authorization': basic }) }),
      ]),
    )
    expect(upstream.requests.at(-1)?.headers['proxy-authorization']).toBeUndefined()
  })

  test('gets the requests to http addresses, and resolves their names', async () => {
    analyzer.on('POST /analyze', { body: [{ entity_type: 'PERSON', start: 0, end: 5, score: 1 }] })
    const settings = { pii_mode: 'enforce', pii_entities: { PERSON: 'REDACT' } }
    const project = await stage.makeProject({ settings })
    const messages = [{ role: 'user', content: 'qillo wrote' }]
    // The recogniser has 300 ms, which a busy machine may need for other things.
    await expect.poll(async () => (await project.complete({ messages })).status).toBe(200)
    expect(JSON.parse(upstream.requests.at(-1)!.body)).toMatchObject({ messages: [{ content: '<PERSON> wrote' }] })
    expect(proxy.requests).toContainEqual(
      expect.objectContaining({ method: 'POST', target: 'http://presidio.example.net/analyze' }),
    )
  })

  test('that refuses makes the provider unreachable, without a secret in the log', async () => {
    const project = await stage.makeProject()
    const served = () => upstream.requests.filter(({ method }) => method === 'POST').length
    const servedBefore = served()
    for (const status of [407, 502]) {
      proxy.refuseWith(socket => socket.end(`HTTP/1.1 ${status} X\r\ncontent-length: 0\r\n\r\n`))
      const before = proxy.requests.length
      const refusal = { status: 502, body: { error: { code: 'provider_unavailable' } } }
      expect(await project.complete()).toMatchObject(refusal)
      // The attempt and its retry, which cannot repeat a request that the provider got.
      expect(proxy.requests.slice(before).map(({ method }) => method)).toEqual(['CONNECT', 'CONNECT'])
    }
    expect(served()).toBe(servedBefore)
    const log = stage.harness.product.stderr() + stage.harness.product.stdout()
    expect(log).toContain('PROXY_AUTHENTICATION_REQUIRED')
    expect(log).not.toContain(password)
    expect(log).not.toContain(Buffer.from(`user:${password}`).toString('base64'))
  })
})
