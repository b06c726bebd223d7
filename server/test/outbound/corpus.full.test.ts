// The corpus of abusive addresses against the whole client: a scripted name server, real upstreams that redirect.
// Nothing here may leave the machine: where a public address would be dialled, the dialling is recorded instead.
import diagnostics from 'node:diagnostics_channel'
import { createServer as createTcpServer, connect as dial } from 'node:net'
import type { buildConnector } from 'undici'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { createConnector } from '../../src/outbound/connector.ts'
import { readControls, readCorpus } from './fixtures.ts'
import { failureOf, outboundWith, request, serve, upstream, zone } from './outbound-stage.ts'

/** Resolves as the real connector does and notes what would have been dialled, then reports a refused connection. */
function recordingConnector() {
  const dialled: string[] = []
  type Lookup = (
    host: string,
    options: object,
    done: (error: Error | null, found: { address: string }[]) => void,
  ) => void
  const build = (({ lookup }: { lookup: Lookup }) => {
    return (target: buildConnector.Options, callback: buildConnector.Callback) =>
      lookup(target.hostname, { all: true }, (error, found) => {
        if (!error) dialled.push(...found.map(({ address }) => address))
        callback(error ?? Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), null)
      })
  }) as unknown as typeof buildConnector
  return { dialled, build }
}

describe('the corpus', () => {
  it('refuses layers S, L and N without a question to the name server and without a socket', async () => {
    const names = await zone(() => ['127.0.0.1'])
    let connects = 0
    let injectedQuestions = 0
    const count = () => connects++
    diagnostics.subscribe('undici:client:beforeConnect', count)
    diagnostics.subscribe('net.client.socket', count)
    onTestFinished(() => void diagnostics.unsubscribe('undici:client:beforeConnect', count))
    onTestFinished(() => void diagnostics.unsubscribe('net.client.socket', count))
    const overTheWire = outboundWith('', { dnsServers: [names.address] })
    const injected = outboundWith('', { resolve: async () => [`127.0.0.${++injectedQuestions}`] })
    const cases = readCorpus().filter(({ layer }) => 'SLN'.includes(layer))
    for (const { url } of cases) {
      for (const outbound of [overTheWire, injected]) {
        expect((await failureOf(outbound.check(url))).kind, url).toBe('blocked')
      }
    }
    // Requests carry paths and queries of our own, so of the forms only those of the origin are refused here.
    for (const { url } of cases.filter(({ layer }) => layer !== 'S')) {
      expect((await failureOf(overTheWire.send(request(url)))).kind, url).toBe('blocked')
      expect((await failureOf(injected.send(request(url)))).kind, url).toBe('blocked')
    }
    expect({ connects, injectedQuestions, asked: names.total() }).toEqual({
      connects: 0,
      injectedQuestions: 0,
      asked: 0,
    })
  })

  const resolved = readCorpus().filter(({ layer }) => layer === 'D')
  test.each(resolved)('refuses $url, $note', async ({ url, note }) => {
    const script = note.replace('mock DNS: ', '')
    const names = await zone(() => {
      if (script === 'SERVFAIL') return 'SERVFAIL'
      return script.startsWith('timeout') ? 'SILENT' : script.split(',')
    })
    const { dialled, build } = recordingConnector()
    const dnsTimeoutMs = script.startsWith('timeout') ? 400 : 10_000
    const outbound = outboundWith('', { dnsServers: [names.address], dnsTimeoutMs, buildConnector: build })
    const isAddress = /^[\d:.a-f,]+$/.test(script)
    const kind = isAddress ? 'blocked' : 'dns'
    expect((await failureOf(outbound.check(url))).kind).toBe(kind)
    const failure = await failureOf(outbound.send(request(url)))
    expect(failure.kind).toBe(kind)
    expect(failure.connected).toBe(false)
    expect(dialled).toEqual([])
    // `--1.sslip.io` is refused by its form already.
    expect(names.total() > 0).toBe(failure.reason !== 'name')
  })

  const rebinding = readCorpus().filter(({ layer }) => layer === 'B')
  test.each(rebinding)('never dials the second answer of $url', async ({ url, note }) => {
    const [first = '', second = ''] = note.includes('private afterwards')
      ? ['93.184.216.34', '10.0.0.7']
      : note.replace('mock DNS: ', '').split(' then ')
    const names = await zone((_name, askedBefore) => [askedBefore === 0 ? first : second])
    const { dialled, build } = recordingConnector()
    const outbound = outboundWith('', { dnsServers: [names.address], buildConnector: build })
    // One question, and the answer that was judged is the answer that is dialled.
    expect((await failureOf(outbound.send(request(url)))).kind).toBe('connect')
    expect(dialled).toEqual([first])
    expect(names.total()).toBe(2)
    // Every later connection is judged anew.
    expect((await failureOf(outbound.send(request(url)))).kind).toBe('blocked')
    expect((await failureOf(outbound.check(url))).kind).toBe('blocked')
    expect(dialled).toEqual([first])
  })

  const redirecting = readCorpus().filter(({ layer }) => layer === 'R')
  test.each(redirecting)('$note: one request, no second', async ({ url, note }) => {
    const answers = /\b(30\d) Location: (.+)$/.exec(note)
    const refresh = /Refresh: ([^ ]+)/.exec(note)?.[1]
    const statuses = answers ? [Number(answers[1])] : refresh ? [200] : [401, 407, 511]
    for (const status of statuses) {
      let requests = 0
      const port = await upstream((_incoming, outgoing) => {
        requests++
        if (answers) outgoing.setHeader('location', answers[2]!)
        if (refresh) outgoing.setHeader('refresh', refresh)
        outgoing.writeHead(status, { 'www-authenticate': 'Basic', 'proxy-authenticate': 'Basic' }).end('x')
      })
      const names = await zone(() => ['127.0.0.1'])
      const host = new URL(url).hostname
      const outbound = outboundWith(`${host}:${port}`, { dnsServers: [names.address] })
      const target = request(`http://${host}:${port}/v1`)
      if (answers) expect((await failureOf(outbound.send(target))).kind).toBe('redirect')
      else expect((await outbound.send(target)).status).toBe(status)
      expect(requests).toBe(1)
    }
  })

  test.each(readControls())('lets the control %s through to public addresses', async url => {
    const found = ['93.184.216.34', '2606:2800:220:1::1']
    const names = await zone(() => found)
    const { dialled, build } = recordingConnector()
    const outbound = outboundWith('', { dnsServers: [names.address], buildConnector: build })
    expect((await outbound.check(url)).href).toBe(new URL(url).href)
    const failure = await failureOf(outbound.send(request(url)))
    expect(failure).toMatchObject({ kind: 'connect', reason: 'ECONNREFUSED', connected: false })
    expect(dialled.toSorted()).toEqual(found.toSorted())
  })
})

describe('redirects', () => {
  test.each([300, 301, 302, 303, 304, 307, 308])(
    '%i never carries the key to the next host, whoever chose the address',
    async status => {
      const seen: string[] = []
      const sink = await upstream((incoming, outgoing) => {
        seen.push(JSON.stringify(incoming.headers))
        outgoing.end()
      })
      const port = await upstream((_incoming, outgoing) =>
        outgoing.writeHead(status, { location: `http://127.0.0.1:${sink}/` }).end(),
      )
      const outbound = outboundWith('127.0.0.1')
      for (const guard of ['tenant', 'operator'] as const) {
        const failure = await failureOf(outbound.send(request(`http://127.0.0.1:${port}/v1`, { guard })))
        expect(failure).toMatchObject({ kind: 'redirect', reason: String(status) })
      }
      expect(seen).toEqual([])
    },
  )
})

it("a tenant does not ride on the operator's pool of the same origin", async () => {
  const { dialled, build } = recordingConnector()
  const outbound = outboundWith('', { resolve: async () => ['10.0.0.9'], buildConnector: build })
  const send = (guard: 'tenant' | 'operator') =>
    failureOf(outbound.send(request('https://models.example.org/', { guard })))
  expect((await send('operator')).kind).toBe('connect')
  expect((await send('tenant')).kind).toBe('blocked')
  expect((await send('operator')).kind).toBe('connect')
  expect(dialled).toEqual(['10.0.0.9', '10.0.0.9'])
})

describe('the connector itself', () => {
  const refusing = { resolve: async () => ['127.0.0.1'], timeoutMs: 2000, onBlocked: () => undefined }
  const outcome = (connector: buildConnector.connector, hostname: string, port: number) =>
    new Promise<Error | null>(resolve => {
      connector({ hostname, host: hostname, protocol: 'http:', port: String(port) }, (error, socket) => {
        socket?.destroy()
        resolve(error)
      })
    })

  it('judges literals, for which no lookup is called', async () => {
    let connections = 0
    const port = await serve(createTcpServer(() => connections++))
    const connector = createConnector({ ...refusing, mayReach: () => false })
    expect(await outcome(connector, '127.0.0.1', port)).toMatchObject({ kind: 'blocked', reason: 'literal' })
    expect(connections).toBe(0)
  })

  it('judges the far end of the socket, should the lookup have been got round', async () => {
    const port = await serve(createTcpServer())
    const build = (() => (_target: unknown, callback: buildConnector.Callback) => {
      const socket = dial(port, '127.0.0.1', () => callback(null, socket))
    }) as unknown as typeof buildConnector
    const connector = createConnector({ ...refusing, mayReach: address => address === '93.184.216.34', build })
    expect(await outcome(connector, 'name.example.org', port)).toMatchObject({
      kind: 'blocked',
      reason: 'remote_address',
    })
  })
})
