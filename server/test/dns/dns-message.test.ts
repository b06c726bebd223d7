// The reader of DNS messages on bytes that nobody vouches for: it ends, and it throws nothing but RangeError.
import { randomBytes, randomInt } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { readMessage, readName, recordClass, writeName, writeUpdate } from '../../src/dns/dns-message.ts'
import { findSignature, isSignedAnswer, signMessage } from '../../src/dns/tsig.ts'

const key = { algorithm: 'hmac-sha256', name: 'update-key', secret: randomBytes(32) }
const record = { name: 'amber.gate.test', type: 1, class: recordClass.IN, ttl: 300, data: Buffer.of(192, 0, 2, 1) }
const message = writeUpdate(4711, 'gate.test', [record, { ...record, name: 'amber.dev.gate.test' }])

test('what is written is read again', () => {
  const { bytes, mac } = signMessage(message, key, 1_790_000_000_000)
  const read = readMessage(bytes)
  expect(read).toMatchObject({ id: 4711, opcode: 5, isAnswer: false, rcode: 0 })
  expect(read.records.map(({ name, type }) => [name, type])).toEqual([
    ['amber.gate.test', 1],
    ['amber.dev.gate.test', 1],
    ['update-key', 250],
  ])
  expect(findSignature(bytes)).toMatchObject({ timeSeconds: 1_790_000_000, fudge: 300, mac, originalId: 4711 })
  expect(findSignature(message)).toBeNull()
  // A request is no answer to itself.
  expect(isSignedAnswer(bytes, mac, key, 1_790_000_000_000)).toBe(false)
})

test('names with pointers are followed backwards only', () => {
  const name = writeName('gate.test')
  const pointing = Buffer.concat([name, Buffer.of(5), Buffer.from('amber'), Buffer.of(0xc0, 0)])
  expect(readName(pointing, name.length)).toEqual({ name: 'amber.gate.test', end: pointing.length })
  // To itself, ahead, and round and round through a label.
  for (const [bytes, start] of [
    [[0xc0, 0], 0],
    [[0xc0, 2, 0xc0, 0], 0],
    [[1, 97, 0xc0, 0], 0],
    [[1, 97, 0xc0, 0], 2],
  ] as const) {
    expect(() => readName(Buffer.from(bytes), start)).toThrow('does not point back')
  }
})

test('broken messages throw RangeError and nothing else', () => {
  const { bytes, mac } = signMessage(message, key, 1_790_000_000_000)
  const count = inject('prove') ? 200_000 : 5_000
  let refused = 0
  for (let index = 0; index < count; index++) {
    const broken =
      index % 2 === 0 ? randomBytes(randomInt(200)) : Buffer.from(bytes.subarray(0, randomInt(bytes.length)))
    for (let change = randomInt(4); change > 0 && broken.length > 0; change--)
      broken[randomInt(broken.length)] = randomInt(256)
    try {
      readMessage(broken)
      findSignature(broken)
      expect(isSignedAnswer(broken, mac, key, 1_790_000_000_000)).toBe(false)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      refused++
    }
  }
  expect(refused).toBeGreaterThan(count / 2)
})
