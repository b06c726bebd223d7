// Tests Redis' wire format: the bytes of commands, and replies that arrive in any pieces.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeCommand, RedisError, type RedisReply, ReplyReader } from '../../../../src/kv/redis/client/wire.ts'
import { processorMsOf } from '../../../support/slowness.ts'

test('a command is sent by the bytes of its parts', () => {
  expect(encodeCommand(['SET', 'clé', '', 7])).toBe('*4\r\n$3\r\nSET\r\n$4\r\nclé\r\n$0\r\n\r\n$1\r\n7\r\n')
})

/** Reads replies in pieces of the given size; all pieces reuse the same memory. */
function readInPieces(bytes: Buffer, size: number): RedisReply[] {
  const replies: RedisReply[] = []
  const reader = new ReplyReader(reply => replies.push(reply))
  const memory = Buffer.alloc(size)
  for (let at = 0; at < bytes.length; at += size) {
    const length = bytes.copy(memory, 0, at, Math.min(at + size, bytes.length))
    reader.take(memory.subarray(0, length))
    memory.fill('?')
  }
  return replies
}

const wireOf = (reply: RedisReply): string => {
  if (reply === null) return '$-1\r\n'
  if (typeof reply === 'number') return `:${reply}\r\n`
  if (reply instanceof RedisError) return `-${reply.text}\r\n`
  if (Array.isArray(reply)) return `*${reply.length}\r\n${reply.map(wireOf).join('')}`
  return `$${Buffer.byteLength(String(reply))}\r\n${reply}\r\n`
}

describe('answers', () => {
  test('of every kind, in pieces of every size', () => {
    const expected: RedisReply[] = [
      'OK',
      '',
      'grüß\r\ngott 👋',
      0,
      -12,
      1_790_000_000_123,
      null,
      null,
      [],
      [['a', [], [null, 7]], new RedisError('WRONGTYPE it is no hash'), 'b'],
      new RedisError('NOSCRIPT No matching script.'),
      [1],
    ]
    const wire = Buffer.from(
      `+OK\r\n$0\r\n\r\n${wireOf(expected[2])}:0\r\n:-12\r\n:1790000000123\r\n$-1\r\n*-1\r\n${expected.slice(8).map(wireOf).join('')}`,
    )
    for (let size = 1; size <= wire.length; size++) expect(readInPieces(wire, size), `${size}`).toEqual(expected)
  })

  test('of any shape, cut anywhere', () => {
    const leaf = fc.oneof(fc.string({ unit: 'binary' }), fc.maxSafeInteger(), fc.constant(null))
    const { reply } = fc.letrec(tie => ({
      reply: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('reply'), { maxLength: 4 })),
    }))
    const property = fc.property(fc.array(reply), fc.integer({ min: 1, max: 40 }), (replies, size) => {
      expect(readInPieces(Buffer.from(replies.map(wireOf).join('')), size)).toEqual(replies)
    })
    fc.assert(property, { numRuns: 300 })
  })

  test('a large text costs its length and not the square of it', () => {
    const text = 'x'.repeat(8 << 20)
    const wire = Buffer.from(wireOf([text, 'end']))
    expect(processorMsOf(() => expect(readInPieces(wire, 1_000)).toEqual([[text, 'end']]))).toBeLessThan(5_000)
  })

  test.each(['?', 'HTTP/1.1 400 Bad Request\r\n', ':12a\r\n', '$x\r\n', '*\t\r\n'])(
    'what is none is not guessed at: %j',
    text => {
      expect(() => readInPieces(Buffer.from(`${text}\r\n`), 64)).toThrow(/^Redis sent something other than/)
    },
  )
})
