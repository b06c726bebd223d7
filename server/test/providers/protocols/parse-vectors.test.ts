// Answers with vectors are parsed in turns: to the same value as at once, and without holding the process.

import { expect, it } from 'vitest'
import { maxAnswerValues } from '../../../src/domain/json-values.ts'
import { parseVectors } from '../../../src/providers/protocols/embeddings/parse-vectors.ts'
import { longestHoldMs, processorSlowness } from '../../support/slowness.ts'

const vector = (length: number) => Array.from({ length }, (_, at) => Math.fround(Math.sin(at) / 10))
const answer = (count: number, length: number) => ({
  object: 'list',
  data: Array.from({ length: count }, (_, index) => ({ object: 'embedding', index, embedding: vector(length) })),
  model: 'größe [1, "2',
  usage: { prompt_tokens: 9, total_tokens: 9 },
})
const megabyteOfNumbers = '1,'.repeat(500_000)
const parse = (text: string) => parseVectors(Buffer.from(text))

it.each<[string, unknown]>([
  ['of long vectors', answer(5, 1_536)],
  ['of short ones', answer(5, 2)],
  ['in lists', { embeddings: { float: [vector(400), vector(401), []] }, texts: ['a'.repeat(2_000), '[1]'] }],
  ['beside texts that are numbers', { data: [vector(400), vector(5)], texts: ['0', '1'], 'a list': [['0'], ['1']] }],
  ['in base64', { data: [{ embedding: 'AAAA'.repeat(9_000) }], 'a "[': [['0'], [[1]]] }],
  ['that is one vector', vector(1_000)],
])('parses an answer %s', async (_kind, value) => {
  expect(await parse(JSON.stringify(value))).toEqual(value)
  expect(await parse(JSON.stringify(value, null, 2))).toEqual(value)
})

it.each<[string, string]>([
  ['a body that is cut off', JSON.stringify(answer(3, 500)).slice(0, -2)],
  ['a vector that is cut off', JSON.stringify(answer(3, 500)).slice(0, 9_000)],
  ['what is no number', JSON.stringify(answer(3, 500)).replace('0.0', '0x')],
  ['too many lists', `[${Array<string>(maxAnswerValues).fill('[1]').join(',')}]`],
  ['too many numbers outside of vectors', `[${megabyteOfNumbers}[]]`],
  ['a vector that is too long', `[${'1.5,'.repeat(300_000)}1]`],
])('refuses %s', async (_kind, text) => {
  expect(await parse(text)).toBe(undefined)
})

it('refuses bytes that are not UTF-8', async () => {
  expect(await parseVectors(Buffer.from([...Buffer.from('["'), 0xff, ...Buffer.from('"]')]))).toBe(undefined)
})

it.each<[string, () => string]>([
  ['many vectors', () => JSON.stringify(answer(500, 3_072))],
  ['lists that are never closed', () => `${'['.repeat(maxAnswerValues - 1)}${'1'.repeat(16_000_000)}`],
  ['many short vectors', () => JSON.stringify({ data: Array.from({ length: 5_000 }, () => vector(40)) })],
  [
    'many lists of numbers that hold a list',
    () => `[${Array<string>(16).fill(`[${megabyteOfNumbers}[]]`).join(',')},[${vector(400).join(',')}]]`,
  ],
])('holds the process for some milliseconds by an answer of %s', async (_kind, write) => {
  const body = Buffer.from(write())
  const holds: number[] = []
  for (let run = 0; run < 3; run++) holds.push(await longestHoldMs(() => parseVectors(body)))
  expect(Math.min(...holds) / processorSlowness()).toBeLessThan(50)
})
