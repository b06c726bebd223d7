// Many calls to one origin at once: each gets a connection as soon as one can be had, whatever happens to the others'
// connections and however long the others' answers go on.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buildConnector } from 'undici'
import { describe, expect, it } from 'vitest'
import { Exchange } from '../../src/outbound/call.ts'
import { Origin } from '../../src/outbound/origin.ts'
import type { Outbound } from '../../src/outbound/outbound.ts'
import { listener, outboundWith, request, serve, upstream } from './outbound-stage.ts'

/** Several times what may be connecting at the same time. */
const many = 600
/** Only what never happens takes so long: the streams themselves never end by time. */
const patience = { timeout: 45_000, interval: 20 }

/** Begins an answer to each request and ends none until it is told to. */
async function streamingOrigin() {
  const open: ServerResponse[] = []
  const begin = (_incoming: IncomingMessage, outgoing: ServerResponse) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first\n\n')
    open.push(outgoing)
  }
  const port = await serve(createServer(begin).on('connection', socket => socket.setNoDelay(true)))
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    endAll() {
      for (const outgoing of open.splice(0)) outgoing.end()
    },
  }
}

type Connect = (
  target: buildConnector.Options,
  callback: buildConnector.Callback,
  connectAsEver: buildConnector.connector,
) => void

/** Connects in the way of the test. */
const connecting = (way: Connect) =>
  ((options: buildConnector.BuildOptions) => {
    const connectAsEver = buildConnector(options)
    return (target: buildConnector.Options, callback: buildConnector.Callback) => way(target, callback, connectAsEver)
  }) as typeof buildConnector

function openMany(outbound: Outbound, url: string, guard: 'operator' | 'tenant' = 'operator') {
  return Array.from({ length: many }, () => {
    const call = listener()
    outbound.open({ ...request(url), guard }, call.receiver)
    return call
  })
}

const headsIn = (calls: { heard: string[] }[]) => calls.filter(({ heard }) => heard[0] === '200').length

describe('of many calls at once', () => {
  it('each has its head before any other stream ends', async () => {
    const far = await streamingOrigin()
    const calls = openMany(outboundWith(''), far.url)
    await expect.poll(() => headsIn(calls), patience).toBe(many)
    far.endAll()
    await Promise.all(calls.map(({ over }) => over))
    expect(calls.filter(({ heard }) => heard.at(-1) === 'end')).toHaveLength(many)
  })

  it('each has a head or a failure while others stream, where the first connections fail', async () => {
    const far = await streamingOrigin()
    let attempts = 0
    const build = connecting((target, callback, connectAsEver) => {
      if (++attempts <= 20) setTimeout(callback, 5, Object.assign(new Error('no'), { code: 'ECONNREFUSED' }), null)
      else connectAsEver(target, callback)
    })
    const calls = openMany(outboundWith('', { buildConnector: build }), far.url)
    await expect.poll(() => calls.filter(({ heard }) => heard.length > 0).length, patience).toBe(many)
    expect(headsIn(calls)).toBeGreaterThan(many / 2)
    far.endAll()
    await Promise.all(calls.map(({ over }) => over))
  })

  it('none stays behind where a bound holds and each connection closes behind its answer', async () => {
    const port = await upstream((_incoming, outgoing) => outgoing.writeHead(200, { connection: 'close' }).end('ok'))
    const calls = openMany(outboundWith('127.0.0.1'), `http://127.0.0.1:${port}/`, 'tenant')
    await Promise.all(calls.map(({ over }) => over))
    expect(calls.map(({ heard }) => heard.join())).toEqual(calls.map(() => '200,ok,end'))
  })

  it('at most 128 connect at the same time', async () => {
    const port = await upstream((_incoming, outgoing) => void setTimeout(() => outgoing.end('ok'), 20))
    let now = 0
    let most = 0
    const build = connecting((target, callback, connectAsEver) => {
      most = Math.max(most, ++now)
      connectAsEver(target, (...outcome) => {
        now--
        callback(...outcome)
      })
    })
    const calls = openMany(outboundWith('', { buildConnector: build }), `http://127.0.0.1:${port}/`)
    await Promise.all(calls.map(({ over }) => over))
    expect(calls.map(({ heard }) => heard.join())).toEqual(calls.map(() => '200,ok,end'))
    expect(most).toBe(128)
  })
})

describe('calls that wait for an origin', () => {
  it('that is away wait for three attempts at most, however many they are', async () => {
    const attempts: (() => void)[] = []
    const connectLate: buildConnector.connector = (_target, callback) =>
      void attempts.push(() => callback(Object.assign(new Error('away'), { code: 'ETIMEDOUT' }), null))
    const origin = new Origin({ url: new URL('http://127.0.0.1'), maxConnections: null, connect: connectLate })
    const message = { method: 'GET', head: '', body: null, headMs: 0, bodyMs: 0 }
    const calls = Array.from({ length: 1_000 }, () => listener())
    for (const { receiver } of calls) origin.begin(new Exchange(message, receiver, { warn: () => undefined }))
    for (let turn = 0; turn < 3; turn++) {
      expect(attempts.length).toBeLessThanOrEqual(128)
      for (const fail of attempts.splice(0)) fail()
      await new Promise(done => setImmediate(done))
      const failed = calls.filter(({ heard }) => heard.length > 0)
      expect(failed.length).toBeGreaterThanOrEqual(turn === 0 ? 128 : 1_000 - 128)
      expect(failed).toEqual(calls.slice(0, failed.length))
    }
    expect(calls.map(({ heard }) => heard.join())).toEqual(calls.map(() => 'timeout'))
    expect(attempts).toEqual([])
    expect(origin.isEmpty).toBe(true)
  })

  it('fail where connecting throws, and leave nothing behind that keeps later ones from connecting', async () => {
    const port = await upstream((_incoming, outgoing) => outgoing.end('ok'))
    let isBroken = true
    const build = connecting((target, callback, connectAsEver) => {
      if (isBroken) throw new TypeError('connecting is broken')
      connectAsEver(target, callback)
    })
    const outbound = outboundWith('', { buildConnector: build })
    const calls = openMany(outbound, `http://127.0.0.1:${port}/`)
    await Promise.all(calls.map(({ over }) => over))
    expect(calls.map(({ heard }) => heard.join())).toEqual(calls.map(() => 'connect'))
    isBroken = false
    const later = openMany(outbound, `http://127.0.0.1:${port}/`)
    await Promise.all(later.map(({ over }) => over))
    expect(later.map(({ heard }) => heard.join())).toEqual(later.map(() => '200,ok,end'))
  })
})
