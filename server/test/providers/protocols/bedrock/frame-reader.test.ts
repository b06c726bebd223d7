// AWS's published samples of its binary event stream, and every cut and every damaged byte of a stream of our own.

import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type Frame, FrameReader } from '../../../../src/providers/protocols/bedrock/frame-reader.ts'
import { eventFrame, exceptionFrame, frameOf } from '../../../support/simulated/aws-event-stream.ts'

interface Read {
  frames: Frame[]
  reader: FrameReader
}

function read(pieces: readonly Uint8Array[], maxBytes = 1000): Read {
  const frames: Frame[] = []
  const reader = new FrameReader(({ headers, payload }) => frames.push({ headers, payload: Buffer.from(payload) }), {
    maxBytes,
  })
  for (const piece of pieces) {
    const copy = Uint8Array.from(piece)
    reader.push(copy)
    copy.fill(0x78)
  }
  return { frames, reader }
}

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')

const noHeaders = '0000001d 00000000 fd528c5a 7b27666f6f273a27626172277d c3653936'
const oneHeader =
  '0000003d 00000020 07fd8396 0c636f6e74656e742d74797065 07 0010 6170706c69636174696f6e2f6a736f6e' +
  '7b27666f6f273a27626172277d 8d9c08b1'

describe('a published sample', () => {
  it.each([
    ['without headers and payload', '00000010 00000000 05c248eb 7d98c8ff', {}, ''],
    ['without headers', noHeaders, {}, "{'foo':'bar'}"],
    ['with one header', oneHeader, { 'content-type': 'application/json' }, "{'foo':'bar'}"],
  ])('%s', (_, hex, headers, payload) => {
    const { frames, reader } = read([bytes(hex)])
    expect(frames.map(frame => ({ headers: { ...frame.headers }, payload: frame.payload.toString() }))).toEqual([
      { headers, payload },
    ])
    expect(reader.isBetweenFrames).toBe(true)
    expect(frameOf(headers, payload)).toEqual(bytes(hex))
  })
})

const stream = Buffer.concat([
  eventFrame('messageStart', { role: 'assistant' }),
  eventFrame('contentBlockDelta', { delta: { text: 'für 🐳' } }),
  bytes('00000010 00000000 05c248eb 7d98c8ff'),
  exceptionFrame('throttlingException', 'Too many requests'),
])

describe('a stream', () => {
  it('is the same at every cut', () => {
    const { frames: whole } = read([stream])
    expect(whole.map(({ headers }) => headers[':event-type'] ?? headers[':exception-type'])).toEqual([
      'messageStart',
      'contentBlockDelta',
      undefined,
      'throttlingException',
    ])
    expect(read([...stream].map(byte => Uint8Array.of(byte))).frames).toEqual(whole)
    for (let at = 1; at < stream.length; at++) {
      expect(read([stream.subarray(0, at), stream.subarray(at)]).frames).toEqual(whole)
    }
  })

  it('with any byte changed is rejected, and what came before it is read', () => {
    const first = eventFrame('messageStart', { role: 'assistant' })
    for (let at = first.length; at < stream.length; at++) {
      const damaged = Buffer.from(stream)
      damaged[at] = (damaged[at] ?? 0) ^ 0x40
      const frames: Frame[] = []
      const reader = new FrameReader(frame => frames.push(frame), { maxBytes: 1000 })
      expect(() => reader.push(damaged)).toThrow('checksum')
      expect(frames.length).toBeGreaterThan(0)
    }
  })

  it('that ends within a message is not between two', () => {
    for (const at of [1, 11, 12, 40]) expect(read([stream.subarray(0, at)]).reader.isBetweenFrames).toBe(false)
  })
})

describe('a message', () => {
  it('longer than the maximum is rejected by its lengths alone', () => {
    const large = frameOf({}, 'x'.repeat(985))
    expect(() => read([large.subarray(0, 12)])).toThrow('length')
    expect(read([frameOf({}, 'x'.repeat(984))]).frames).toHaveLength(1)
  })

  it('whose headers are longer than itself is rejected', () => {
    const frame = frameOf({}, '')
    frame.writeUInt32BE(1, 4)
    expect(() => read([resealed(frame)])).toThrow('length')
  })

  it.each([
    ['of an unknown type', Buffer.from([1, 0x61, 10])],
    ['longer than all headers', Buffer.from([1, 0x61, 7, 0, 9, 0x62])],
    ['cut within its name', Buffer.from([5, 0x61])],
  ])('with a header %s is rejected', (_, header) => {
    const frame = Buffer.concat([Buffer.alloc(12), header, Buffer.alloc(4)])
    frame.writeUInt32BE(frame.length, 0)
    frame.writeUInt32BE(header.length, 4)
    expect(() => read([resealed(frame)])).toThrow('headers')
  })

  it('keeps its text headers when others are of every type', () => {
    const values = [[0], [1], [2, 1], [3, 0, 1], [4, 0, 0, 0, 1], [5, ...Buffer.alloc(8)], [6, 0, 2, 9, 9]]
    const others = [...values, [8, ...Buffer.alloc(8)], [9, ...Buffer.alloc(16)]]
    const header = Buffer.concat([...others, [7, 0, 1, 0x7a]].map(value => Buffer.from([1, 0x61, ...value])))
    const frame = Buffer.concat([Buffer.alloc(12), header, Buffer.alloc(4)])
    frame.writeUInt32BE(frame.length, 0)
    frame.writeUInt32BE(header.length, 4)
    expect({ ...read([resealed(frame)]).frames[0]?.headers }).toEqual({ a: 'z' })
  })
})

/** With the checksums that its other bytes have now. */
function resealed(frame: Buffer): Buffer {
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8)
  frame.writeUInt32BE(crc32(frame.subarray(0, -4)), frame.length - 4)
  return frame
}
