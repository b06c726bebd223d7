// What is gathered is what came, and what it takes is bounded by its bytes, whatever the pieces.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BodyMemory } from '../../src/http/body-memory.ts'
import { GrowingBuffer } from '../../src/http/growing-buffer.ts'

const kilobyte = 1024
const endless = Number.MAX_SAFE_INTEGER
/** A period that no block has. */
const source = Buffer.alloc(9_000_000, Buffer.from(Array.from({ length: 251 }, (_, at) => at)))
const bytesFrom = (start: number, size: number) => source.subarray(start, start + size)

it('gives back what was added, and takes at most twice its bytes and 64 KB at any moment', () => {
  const sizes = fc.array(fc.oneof(fc.nat(20), fc.nat(3_000), fc.nat(200_000)), { maxLength: 40 })
  fc.assert(
    fc.property(sizes, fc.array(fc.nat(40), { maxLength: 3 }), (pieces, reads) => {
      const buffer = new GrowingBuffer(endless)
      let length = 0
      for (const [at, size] of pieces.entries()) {
        expect(buffer.add(bytesFrom(length, size))).toBe(true)
        length += size
        expect(buffer.length).toBe(length)
        expect(buffer.heldBytes).toBeLessThanOrEqual(2 * length + 64 * kilobyte)
        if (reads.includes(at)) expect(buffer.whole().equals(bytesFrom(0, length))).toBe(true)
      }
      expect(buffer.whole().equals(bytesFrom(0, length))).toBe(true)
    }),
    { numRuns: 60 },
  )
})

it('takes no more for pieces of one byte', () => {
  const buffer = new GrowingBuffer(endless)
  const piece = Buffer.from('x')
  for (let at = 0; at < 1_000_000; at++) {
    buffer.add(piece)
    if (at % 1_000 === 0) expect(buffer.heldBytes).toBeLessThanOrEqual(2 * (at + 1) + 64 * kilobyte)
  }
  expect(buffer.whole().equals(Buffer.alloc(1_000_000, 'x'))).toBe(true)
  expect(buffer.heldBytes).toBe(1_000_000)
})

it('takes just the bytes of a body that comes at once and whose length is known', () => {
  const buffer = new GrowingBuffer(700)
  expect(buffer.add(bytesFrom(0, 700))).toBe(true)
  expect(buffer.heldBytes).toBe(700)
})

it.each([700, 5_000, 300_000])('keeps the first %i bytes of more', maxBytes => {
  for (const size of [maxBytes, maxBytes + 1, 7]) {
    const buffer = new GrowingBuffer(maxBytes)
    let added = 0
    while (buffer.add(bytesFrom(added, size)) && added < maxBytes) added += size
    expect(buffer.whole().equals(bytesFrom(0, maxBytes))).toBe(true)
    expect(buffer.add(Buffer.from('x'))).toBe(false)
    expect(buffer.heldBytes).toBe(maxBytes)
  }
})

it('is refused what the memory of all has no room for, and gives back what it took', () => {
  const memory = new BodyMemory(100 * kilobyte)
  const first = new GrowingBuffer(endless, memory)
  const second = new GrowingBuffer(endless, memory)
  expect(first.add(Buffer.alloc(100 * kilobyte))).toBe(true)
  expect(second.add(Buffer.alloc(60 * kilobyte, 'x'))).toBe(false)
  expect(second.length).toBe(0)
  // So much nobody is refused.
  expect(second.add(Buffer.alloc(16 * kilobyte, 'x'))).toBe(true)
  expect(second.add(Buffer.alloc(60 * kilobyte))).toBe(false)
  expect(second.whole().equals(Buffer.alloc(16 * kilobyte, 'x'))).toBe(true)
  first.release()
  expect(second.add(Buffer.alloc(90 * kilobyte))).toBe(true)
  expect(first.add(Buffer.alloc(60 * kilobyte))).toBe(false)
  second.release()
  expect(first.add(Buffer.alloc(116 * kilobyte))).toBe(true)
})

it('counts what it holds, however it has grown', () => {
  const sizes = fc.array(fc.nat(90_000), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(sizes, fc.boolean(), (pieces, isJoined) => {
      const maxBytes = 4_000 * kilobyte
      const memory = new BodyMemory(maxBytes)
      const leaves = (bytes: number) => {
        expect(memory.change(0, bytes + 16 * kilobyte + 1)).toBe(false)
        expect(memory.change(0, bytes + 16 * kilobyte)).toBe(true)
        memory.change(bytes + 16 * kilobyte, 0)
      }
      const buffer = new GrowingBuffer(endless, memory)
      for (const size of pieces) buffer.add(Buffer.alloc(size))
      if (isJoined) buffer.whole()
      leaves(maxBytes - Math.max(0, buffer.heldBytes - 16 * kilobyte))
      buffer.release()
      leaves(maxBytes)
    }),
  )
})
