// Tests a project's own types in answers that come in pieces: patterns, words and context, cut at every place, and what
// is held back for them.
import { expect, test } from 'vitest'
import type { CustomEntity } from '../../../src/domain/settings/custom-entities.ts'
import { channels, cutAt, finish, pieceOf, saidIn } from '../masking/answers.ts'
import { inPieces, openScanned, rewritePieces } from './scanned-answer.ts'

const optionsOf = (...customEntities: CustomEntity[]) => ({
  types: customEntities.map(({ name }) => name),
  customEntities,
})
const staff: CustomEntity = { name: 'STAFF', patterns: ['\\bEMP-\\d{4,6}\\b', '[a-z]+@corp\\.example$'] }
const plan: CustomEntity = { name: 'PLAN', words: ['blue heron', 'Blue Heron Two', 'ΟΔΟΣΑΒ', '田中', 'c++'] }
const badge: CustomEntity = { name: 'BADGE', patterns: ['\\b\\d{6}\\b'], words: ['red card'], context: ['badge'] }
const all = optionsOf(staff, plan, badge)

test.each([
  ['Ask EMP-1234, EMP-123456, EMP-1234567.', 'Ask <STAFF>, <STAFF>, EMP-1234567.'],
  ['EMP-12345', '<STAFF>'],
  ['zoe@corp.example and ann@corp.example', 'zoe@corp.example and <STAFF>'],
  ['The Blue Heron flew, blue heron two, blue herons.', 'The <PLAN> flew, <PLAN>, blue herons.'],
  ['ΟΔΟΣ ΟΔΟΣΑΒ ΟΔΟΣ', 'ΟΔΟΣ <PLAN> ΟΔΟΣ'],
  ['İ ΟΔΟΣ οδοςαβ', 'İ ΟΔΟΣ <PLAN>'],
  ['株式会社田中さん、田 c++', '株式会社<PLAN>さん、田 <PLAN>'],
  ['badge 123456, 654321.', 'badge <BADGE>, <BADGE>.'],
  ['It is 123456, the number on my badge.', 'It is <BADGE>, the number on my badge.'],
  ['It is 123456, the number on my badger.', 'It is 123456, the number on my badger.'],
  ['A red card or a red cardinal badge', 'A <BADGE> or a red cardinal badge'],
  [`123456${' '.repeat(46)}badge`, `123456${' '.repeat(46)}badge`],
  [`123456${' '.repeat(45)}badge`, `<BADGE>${' '.repeat(45)}badge`],
])('%s has the same result wherever it is cut', (text, expected) => {
  expect(rewritePieces(all, 'text', [text])).toBe(expected)
  for (let place = 0; place <= text.length; place++) {
    expect(rewritePieces(all, 'text', cutAt(text, [place])), `at ${place}`).toBe(expected)
    expect(rewritePieces(all, 'text', cutAt(text, [place, place + 4])), `at ${place}, twice`).toBe(expected)
  }
  expect(rewritePieces(all, 'text', text.split(''))).toBe(expected)
})

test.each([
  ['Write to zoe1+nord@example.com, nothing', 'Write to <EMAIL_ADDRESS>, nothing'],
  ['Now: +1 415 555 0132, nothing', 'Now: <PHONE_NUMBER>, nothing'],
  ['Write to zoe1+nord@example.com, see no, badge', 'Write to zoe<DIGITS>+nord@example.com, see no, badge'],
])('a match that waits for its context does not decide about one before it: %s', (text, expected) => {
  const digits: CustomEntity = { name: 'DIGITS', patterns: ['\\d'], context: ['no'] }
  const options = { types: ['DIGITS', 'EMAIL_ADDRESS', 'PHONE_NUMBER'] as const, customEntities: [digits] }
  expect(rewritePieces(options, 'text', [text])).toBe(expected)
  expect(rewritePieces(options, 'text', [...text])).toBe(expected)
})

test.each(channels)('they are replaced in %s, beside built-in types', channel => {
  const options = { ...all, types: [...all.types, 'EMAIL_ADDRESS', 'PHONE_NUMBER'] as const }
  const text = 'EMP-1234 has zoe@example.com and a blue heron with badge #123456.'
  const expected = '<STAFF> has <EMAIL_ADDRESS> and a <PLAN> with badge #<BADGE>.'
  expect(rewritePieces(options, channel, [...text])).toBe(expected)
})

test('the longest match of a pattern is replaced whole', () => {
  const options = optionsOf({ name: 'LONG', patterns: ['<<[a-z ]{1,252}>>', '😀{2}'], context: ['code', 'secret'] })
  const value = `<<${'some words '.repeat(22)}>>`
  expect(value.length).toBe(246)
  const text = `It was ${value}${'.'.repeat(43)} code, and 😀😀 secret 😀.`
  const expected = `It was <LONG>${'.'.repeat(43)} code, and <LONG> secret 😀.`
  expect(rewritePieces(options, 'text', text.split(''))).toBe(expected)
  expect(rewritePieces(options, 'text', inPieces(text, 100))).toBe(expected)
})

test.each([
  [
    'patterns',
    optionsOf(staff),
    ['Sure, I ', 'am E', 'MPTY, ', 'EMP-12', '34 X'],
    ['Sure, I ', 'am ', 'EMPTY, ', '', '<STAFF> X'],
  ],
  [
    'words',
    optionsOf(plan),
    ['Sure, it ', 'is b', 'lue ', 'herbs, ', 'x'],
    ['Sure, it ', 'is ', '', 'blue herbs, ', 'x'],
  ],
  [
    'context',
    optionsOf(badge),
    ['See 12', '3456 ', `on ${'it '.repeat(18)}`, 'badge 123456 ', 'x'],
    ['See ', '', `123456 on ${'it '.repeat(18)}`, 'badge <BADGE> ', 'x'],
  ],
])('only what may become a value is held back: %s', (_, options, pieces, sent) => {
  const { rewriter } = openScanned(options)
  expect(pieces.map(piece => saidIn('text', rewriter.rewrite([pieceOf('text', piece)])))).toEqual(sent)
})

test.each([
  ['any character', ['[\\s\\S]+', 'a.*b'], 320],
  ['digits', ['\\d{8}'], 8],
])('at most one match is held back: %s', (_, patterns, max) => {
  const { rewriter } = openScanned(optionsOf({ name: 'ANY', patterns, checksum: 'luhn' }))
  for (let count = 0; count < 300; count++) rewriter.rewrite([pieceOf('text', '12 a 7')])
  expect(saidIn('text', rewriter.flush()).length).toBeLessThanOrEqual(max)
})

test('half a character at the end is held back', () => {
  const { rewriter } = openScanned(optionsOf({ name: 'FACE', patterns: ['😀'] }))
  expect(saidIn('text', rewriter.rewrite([pieceOf('text', 'a \ud83d')]))).toBe('a ')
  expect(saidIn('text', [...rewriter.rewrite([pieceOf('text', '\ude00 b')]), ...rewriter.rewrite([finish()])])).toBe(
    '<FACE> b',
  )
})

test('many large patterns stay within the budget of an answer', () => {
  const customEntities = Array.from({ length: 20 }, (_, at) => ({
    name: `TYPE_${String.fromCharCode(65 + at)}`,
    patterns: Array.from({ length: 10 }, (_, form) => `\\b${String.fromCharCode(65 + at)}${form}-[A-Z0-9]{8,20}\\b`),
  }))
  const text = 'The answer has A1-ABCDEF12 and T9-99999999X in it. '.repeat(40)
  expect(rewritePieces(optionsOf(...customEntities), 'text', [...text])).toBe(
    'The answer has <TYPE_A> and <TYPE_T> in it. '.repeat(40),
  )
})
