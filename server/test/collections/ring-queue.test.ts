// Tests the ring queue against a plain array.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RingQueue } from '../../src/collections/ring-queue.ts'

test('whoever came first is first, however many come and go', () => {
  // A positive number adds that many items, a negative one takes that many, often more than there are.
  const moves = fc.array(fc.integer({ min: -150, max: 150 }), { maxLength: 60 })
  fc.assert(
    fc.property(moves, counts => {
      const line = new RingQueue<{ number: number }>()
      const plain: Array<{ number: number }> = []
      let number = 0
      for (const count of counts) {
        for (let at = 0; at < count; at++) {
          const one = { number: number++ }
          line.add(one)
          plain.push(one)
        }
        for (let at = 0; at > count; at--) expect(line.take()).toBe(plain.shift())
        expect([line.length, line.first]).toEqual([plain.length, plain[0]])
      }
      while (plain.length > 0) expect(line.take()).toBe(plain.shift())
      expect([line.take(), line.first, line.length]).toEqual([undefined, undefined, 0])
    }),
  )
})
