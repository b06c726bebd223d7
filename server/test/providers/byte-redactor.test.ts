// Tests that no cut of an answer hides a secret, and that complete lines never wait.
import { expect, it, test } from 'vitest'
import { ByteRedactor } from '../../src/providers/byte-redactor.ts'

const secret = 'key/0123456789'

function read(redactor: ByteRedactor, chunks: readonly string[]): string {
  const pieces = chunks.map(chunk => redactor.push(Buffer.from(chunk)).toString())
  return [...pieces, redactor.end().toString()].join('')
}

it.each([
  ['data: the key/0123456789 is wrong\n\n', 'data: the [redacted] is wrong\n\n'],
  ['key/0123456789key/0123456789', '[redacted][redacted]'],
  ['{"a":"key\\/0123456789"}', '{"a":"[redacted]"}'],
  ['kekey/0123456789', 'ke[redacted]'],
  ['key/012345678', 'key/012345678'],
])('%j at every cut', (text, expected) => {
  for (let at = 0; at <= text.length; at++) {
    expect(read(new ByteRedactor([secret]), [text.slice(0, at), text.slice(at)]), String(at)).toBe(expected)
  }
  expect(read(new ByteRedactor([secret]), [...text])).toBe(expected)
})

test('a line that is complete does not wait', () => {
  const redactor = new ByteRedactor([secret])
  expect(redactor.push(Buffer.from('data: key\n')).toString()).toBe('data: key\n')
  expect(redactor.push(Buffer.from('data: key')).toString()).toBe('data: ')
  expect(redactor.push(Buffer.from('/01')).toString()).toBe('')
  expect(redactor.push(Buffer.from('x\n')).toString()).toBe('key/01x\n')
})

test('without secrets the bytes are the same object', () => {
  const chunk = Buffer.from('data: x')
  expect(new ByteRedactor([]).push(chunk).equals(chunk)).toBe(true)
})
