// Chunked bodies out of their framing, at every cut, and how much framing there may be. The grammar has its cases in
// answer-bytes.ts and request-framing.test.ts.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ChunkReader } from '../../src/http/chunk-reader.ts'

const freeBytes = 16 * 1024
const framingPerByte = 64

/** What is read of pieces of any size, up to the end or a fault. */
function readAll(text: string, pieceBytes: number) {
  const reader = new ChunkReader()
  reader.begin()
  let body = ''
  let readings = 0
  for (let at = 0; at < text.length && !reader.isOver && reader.error === null; at += pieceBytes) {
    const bytes = Buffer.from(text.slice(at, at + pieceBytes), 'latin1')
    const end = reader.read(bytes, 0, bytes.length)
    body += bytes.toString('latin1', reader.dataFrom, reader.dataTo)
    if (reader.dataTo > reader.dataFrom) readings++
    if (end < bytes.length && !reader.isOver) expect(reader.error).not.toBe(null)
  }
  return { body, isOver: reader.isOver, error: reader.error, readings }
}

const chunked = (chunks: readonly string[], extension = '') =>
  `${chunks.map(chunk => `${chunk.length.toString(16)}${extension}\r\n${chunk}\r\n`).join('')}0\r\n`

it('gives the data of each reading in one piece, whatever the chunks and the cuts', () => {
  const chunks = fc.array(fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 300 }), { maxLength: 20 })
  fc.assert(
    fc.property(chunks, fc.integer({ min: 1, max: 400 }), (given, pieceBytes) => {
      expect(readAll(chunked(given), pieceBytes)).toMatchObject({ body: given.join(''), isOver: true, error: null })
    }),
  )
  expect(readAll(chunked(Array.from({ length: 9_000 }, () => 'x')), 64 * 1024)).toMatchObject({ readings: 1 })
})

it('stops behind the line of the last chunk', () => {
  const reader = new ChunkReader()
  reader.begin()
  const bytes = Buffer.from('1\r\na\r\n0\r\n\r\nGET /')
  expect(reader.read(bytes, 0, bytes.length)).toBe('1\r\na\r\n0\r\n'.length)
  expect(reader.isOver).toBe(true)
})

it.each([1, 7, 64 * 1024])(
  'takes 16 KB of framing and 64 bytes for each byte, and no more, in pieces of %i',
  pieceBytes => {
    // Each body: so much framing in front of its first byte, and so much behind its last one.
    const bodyOf = (before: number, size: number, behind: number) => {
      const line = size.toString(16)
      return `${line};${'e'.repeat(before - line.length - 3)}\r\n${'x'.repeat(size)}\r\n0;${'e'.repeat(behind - 6)}\r\n`
    }
    const judge = (before: number, size: number, behind: number) =>
      readAll(bodyOf(before, size, behind), pieceBytes).error
    expect(judge(freeBytes, 1, framingPerByte)).toBe(null)
    expect(judge(freeBytes + 1, 1, framingPerByte)).toBe('chunk_overhead')
    expect(judge(freeBytes, 1, framingPerByte + 1)).toBe('chunk_overhead')
    expect(judge(10, 300, freeBytes - 10 + 300 * framingPerByte)).toBe(null)
    expect(judge(10, 300, freeBytes - 10 + 300 * framingPerByte + 1)).toBe('chunk_overhead')
  },
)

it('takes any number of chunks of one byte, and none with an extension of a hundred', () => {
  const bytes = Array.from({ length: 100_000 }, () => 'x')
  expect(readAll(chunked(bytes), 64 * 1024)).toMatchObject({ isOver: true, error: null })
  expect(readAll(chunked(bytes, `;${'e'.repeat(100)}`), 64 * 1024)).toMatchObject({ error: 'chunk_overhead' })
})

it('takes no size of endless digits', () => {
  expect(readAll(`${'0'.repeat(14)}1\r\nx\r\n0\r\n`, 3).error).toBe('chunk_size')
})
