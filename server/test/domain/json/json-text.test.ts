import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTextCarrier } from '../../../src/domain/json/carry-texts.ts'
import { JsonText, writeJson } from '../../../src/domain/json/json-text.ts'

const odd = '{"n" : 12345678901234567890,"n":1.0, "s":"\\u0041" }'

test('writes texts as they are, between values that look like the mark', () => {
  const texts = [new JsonText(odd), new JsonText('{"a":"\\u0041"}')]
  const value = { before: '"\\u0041"', texts, after: ['\\u0041', '"\\u0041', '\\"\\u0041"'] }
  const [first, second] = texts.map(({ text }) => text)
  const others = [JSON.stringify(value.before), JSON.stringify(value.after)]
  expect(writeJson(value)).toBe(`{"before":${others[0]},"texts":[${first},${second}],"after":${others[1]}}`)
})

test('writes any other value as JSON.stringify does', () => {
  fc.assert(fc.property(fc.jsonValue(), value => writeJson(value) === JSON.stringify(value)))
})

test('keeps the digits in the parsed value, also where another writer is used', () => {
  const text = new JsonText('{"a":12345678901234567890,"b":[1.0,1e3,7]}')
  expect(JSON.stringify({ ...text.value })).toBe(text.text)
  expect(JSON.stringify({ text })).toBe(`{"text":${text.text}}`)
})

test('escapes half of a surrogate pair, which UTF-8 cannot say', () => {
  expect(new JsonText('{"a":"\ud83d😀"}').text).toBe('{"a":"\\ud83d😀"}')
})

test('carries the last of repeated members, and only objects', () => {
  const { carry } = createTextCarrier({ members: { tools: { items: { members: { schema: { holds: 'object' } } } } } })
  const carried = (text: string) => writeJson(carry(text, JSON.parse(text)))
  expect(carried(`{"tools":[{"schema":{"a":1.0}}],"tools":[{"schema":[1.0]},{"schema":${odd},"x":1.0}]}`)).toBe(
    `{"tools":[{"schema":[1]},{"schema":${odd},"x":1}]}`,
  )
  expect(carried('{"tools":[{"schema":{"a":1.0}}],"tools":[{"x":[]}]}')).toBe('{"tools":[{"x":[]}]}')
  expect(carried(`{ "to\\u006fls" : [ {"schema" :{} , "sch\\u0065ma": ${odd}} ] }`)).toBe(
    `{"tools":[{"schema":${odd}}]}`,
  )
})
