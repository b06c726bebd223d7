// An answer that is whole leaves in one piece with its head, at the end of the turn, however its head was settled.
import { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { FastLaneRequest } from '../../../src/http/fast-lane/request.ts'
import { FastLaneResponse } from '../../../src/http/fast-lane/response.ts'

it.each(['a text', Buffer.from('some bytes')])('sends a settled head with %s in one piece', async body => {
  const { response, pieces } = answering()
  response.writeHead(200, { 'content-length': body.length })
  response.end(body)
  expect(pieces).toEqual([])
  await nextTurn()
  expect(pieces).toHaveLength(1)
  expect(pieces[0]).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\n(a text|some bytes)$/s)
})

it('sends no body with a status that has none', async () => {
  const { response, pieces } = answering()
  response.writeHead(204)
  response.end('not to be seen')
  await nextTurn()
  expect(pieces.join('')).toMatch(/\r\n\r\n$/)
})

it.each([
  [true, 5],
  [false, 0],
])('bounds the patience with what the client does not take at once: %s', async (isHeldUp, expected) => {
  const { response, socket } = answering({ isHeldUp })
  const bounds: number[] = []
  socket.setTimeout = ms => {
    bounds.push(ms)
    return socket
  }
  response.end('a text')
  response.setTimeout(5)
  expect(bounds).toEqual([])
  await nextTurn()
  expect(bounds).toEqual(expected === 0 ? [] : [expected])
})

it('settles its head once', () => {
  const { response, pieces } = answering()
  response.writeHead(200)
  expect(() => response.writeHead(500)).toThrow('settled')
  expect(() => response.setHeader('x-late', 1)).toThrow('settled')
  response.flushHeaders()
  response.flushHeaders()
  expect(pieces.join('').match(/HTTP\/1\.1/g)).toHaveLength(1)
})

it.each([
  ['open', false, false, () => undefined],
  ['settled', true, false, response => response.writeHead(200)],
  ['begun', true, false, response => response.write('a')],
  ['departing', true, true, response => response.end('a')],
  [
    'ended',
    true,
    true,
    response => {
      response.write('a')
      response.end()
    },
  ],
] as Array<[string, boolean, boolean, (response: FastLaneResponse) => void]>)(
  'says what was said of it when its connection breaks while it is %s',
  async (_phase, isSent, isEnded, reach) => {
    const { response, pieces } = answering({ isHeldUp: true })
    reach(response)
    let closes = 0
    response.once('close', () => closes++)
    for (const _ of [1, 2]) response.close()
    const { headersSent, writableEnded, writableFinished, destroyed } = response
    expect({ headersSent, writableEnded, writableFinished, destroyed }).toEqual({
      headersSent: isSent,
      writableEnded: isEnded,
      writableFinished: false,
      destroyed: true,
    })
    const before = pieces.length
    expect(response.write('late')).toBe(false)
    response.end('late')
    await nextTurn()
    expect(pieces).toHaveLength(before)
    expect(closes).toBe(1)
  },
)

it('says that it is worked on until its head is settled', async () => {
  const { response, pieces } = answering()
  response.writeProcessing()
  response.writeProcessing()
  response.writeHead(200)
  response.writeProcessing()
  response.end('a text')
  await nextTurn()
  response.writeProcessing()
  expect(pieces.join('')).toMatch(/^(HTTP\/1\.1 102 Processing\r\n\r\n){2}HTTP\/1\.1 200 OK\r\n[\s\S]*a text/)
  expect(pieces.join('').match(/102/g)).toHaveLength(2)
})

it('ends what has begun at once', () => {
  const { response, pieces } = answering()
  response.writeHead(200)
  response.write('first')
  response.end('last')
  expect(pieces.join('')).toMatch(/5\r\nfirst\r\n4\r\nlast\r\n0\r\n\r\n$/)
})

function answering({ isHeldUp = false } = {}) {
  const pieces: string[] = []
  const socket = new Duplex({
    read: () => undefined,
    write(chunk, _encoding, done) {
      pieces.push(String(chunk))
      if (!isHeldUp) done()
    },
  }) as ConstructorParameters<typeof FastLaneRequest>[2]
  const request = new FastLaneRequest({ method: 'POST', url: '/', headers: {} }, Buffer.alloc(0), socket)
  const response = new FastLaneResponse(request, { socket, keepAliveLines: '', finished: () => undefined })
  return { response, pieces, socket }
}
