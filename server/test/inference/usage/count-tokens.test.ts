// Tests the local token counter: near the counts of a real vocabulary, independent of how a text is split, and linear
// in time.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createTokenCounter, estimatePromptTokens } from '../../../src/inference/usage/count-tokens.ts'
import { processorMsOf } from '../../support/slowness.ts'

function count(...pieces: string[]): number {
  const counter = createTokenCounter()
  for (const piece of pieces) counter.add(piece)
  return counter.total()
}

it.each([
  [
    'prose',
    'The committee will publish its findings after the summer, once every member has had time to read the draft and to comment on it.',
    26,
  ],
  [
    'code',
    'export function add(left: number, right: number): number {\n  if (right === 0) return left\n  return add(left + 1, right - 1)\n}\n',
    38,
  ],
  ['JSON', '{"id":4711,"items":[{"sku":"A-100","count":2},{"sku":"B-205","count":14}],"paid":true,"total":129.95}', 40],
  ['French', 'La réunion commencera à neuf heures, et chacun apportera ses notes de la semaine dernière.', 19],
  ['Chinese', '今天的天气很好，我们打算下午去公园散步，然后在湖边的小餐馆吃晚饭。', 24],
  ['Russian', 'Собрание начнётся в девять часов утра, и каждый должен принести свои записи.', 21],
  ['Japanese', '明日の会議は午前九時に始まりますので、資料を忘れずに持ってきてください。', 27],
])('counts %s within a third of what o200k_base makes of it', (_, text, real) => {
  expect(count(text)).toBeGreaterThan(real / 1.33)
  expect(count(text)).toBeLessThan(real * 1.33)
})

it('counts the same however a text is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 8 }), { maxLength: 6 }), pieces => {
      expect(count(...pieces)).toBe(count(pieces.join('')))
    }),
  )
})

it('counts names and arguments of calls, and a few tokens for each message', () => {
  const call = { id: 'call_1', name: 'find_weather', arguments: '{"city":"Lisbon"}' }
  const plain = { role: 'assistant' as const, content: null, toolCalls: [], reasoningDetails: [] }
  expect(estimatePromptTokens([plain])).toBe(4)
  expect(estimatePromptTokens([{ ...plain, toolCalls: [call] }])).toBeGreaterThan(10)
})

it('counts a megabyte of one letter as fast as any other', () => {
  const tookMs = processorMsOf(() => expect(count('a'.repeat(1_000_000))).toBe(Math.ceil(1_000_000 / 9)))
  expect(tookMs).toBeLessThan(1_000)
})
