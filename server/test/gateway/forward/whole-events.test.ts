// Tests the cutting of event streams: wherever a stream is split and given up, only whole events have been passed on,
// and an error event that we append is parsed as an event of its own.
import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { createWholeEvents } from '../../../src/gateway/forward/whole-events.ts'
import { parseEvents } from './sse-parser.ts'

const frame = Buffer.from('data: {"error":{"code":"service_disabled"}}\n\n')
const frameEvent = { type: 'message', data: '{"error":{"code":"service_disabled"}}' }
const lineEnds = ['\n', '\r\n', '\r']
const source =
  ': hi\n\ndata: {"a":1}\n\nevent: x\ndata: two\ndata: lines ü🙂\n\nid: 4\n\ndata\n\n\n\ndata: [DONE]\n\ndata: rest'

function passOn(pieces: readonly Buffer[], heldBytes = 1_000) {
  const events = createWholeEvents(heldBytes)
  const passed: Buffer[] = []
  for (const piece of pieces) {
    const whole = events.take(piece)
    if (whole !== null) passed.push(whole)
  }
  return { events, passed: Buffer.concat(passed) }
}

function expectHonestCut(pieces: readonly Buffer[]) {
  const { events, passed } = passOn(pieces)
  const received = Buffer.concat(pieces)
  expect(events.isBetweenEvents()).toBe(true)
  expect(received.subarray(0, passed.length)).toEqual(passed)
  expect(parseEvents(Buffer.concat([passed, frame]))).toEqual([...parseEvents(received), frameEvent])
}

describe('a cut', () => {
  it.each(lineEnds)('at every byte, in every two pieces and byte by byte, with lines ending in %j', lineEnd => {
    const bytes = Buffer.from(source.replaceAll('\n', lineEnd))
    for (let end = 0; end <= bytes.length; end++) {
      const beginning = bytes.subarray(0, end)
      expectHonestCut([beginning])
      expectHonestCut([...beginning].map(byte => Buffer.from([byte])))
      for (let at = 0; at <= end; at++) expectHonestCut([beginning.subarray(0, at), beginning.subarray(at)])
    }
  })

  it('at any byte of any stream in any pieces', () => {
    const text = fc
      .array(fc.constantFrom('\n', '\r', '\r\n', 'data: x', 'event: y', ': c', 'a', '\n\n'))
      .map(parts => parts.join(''))
    const property = fc.property(text, fc.array(fc.nat()), (all, positions) => {
      const bytes = Buffer.from(all)
      const borders = [0, ...positions.map(at => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
      expectHonestCut(borders.slice(1).map((end, index) => bytes.subarray(borders[index], end)))
    })
    fc.assert(property, { numRuns: inject('prove') ? 50_000 : 1_000 })
  })
})

it('loses and changes no byte of a stream that ends well', () => {
  for (const lineEnd of lineEnds) {
    const bytes = Buffer.from(source.replaceAll('\n', lineEnd))
    for (let at = 0; at <= bytes.length; at++) {
      const { events, passed } = passOn([bytes.subarray(0, at), bytes.subarray(at)])
      expect(Buffer.concat([passed, events.rest() ?? Buffer.alloc(0)])).toEqual(bytes)
    }
  }
})

it('passes a whole event on without a copy', () => {
  const chunk = Buffer.from('data: x\n\n')
  expect(createWholeEvents(100).take(chunk)).toBe(chunk)
})

it('holds back no more than it may, and says when an event was passed on in parts', () => {
  const events = createWholeEvents(100)
  expect(events.take(Buffer.alloc(60, 'a'))).toBeNull()
  expect(events.take(Buffer.alloc(60, 'b'))).toHaveLength(120)
  expect(events.isBetweenEvents()).toBe(false)
  expect(events.take(Buffer.alloc(60, 'c'))).toHaveLength(60)
  expect(events.unfinishedBytes()).toBe(180)
  expect(events.take(Buffer.from('\n\ndata: n'))?.toString()).toBe('\n\n')
  expect(events.isBetweenEvents()).toBe(true)
  expect(events.rest()?.toString()).toBe('data: n')
})
