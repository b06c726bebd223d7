// Which patterns are supported, and what is said of the others.
import { expect, test } from 'vitest'
import { readPattern } from '../../../src/domain/patterns/read-pattern.ts'
import { messageIn } from '../expect-checked.ts'

test.each([
  'EMP-\\d{6}',
  '(?i)acme[- ]?(?:corp|inc)\\.?',
  '\\b[A-Z]{2}\\d{2,4}\\b',
  '^\\x41\\x{1F600}$',
  '[^\\s,;]+@acme',
  '[]a]x|[a-]',
  'a{,3}{',
  'x{2,}y*z?',
  '(a|b|)c',
  '\\d{256}',
  '[\\w.-]{1,256}',
])('%s is supported', source => {
  expect(readPattern(source).ok).toBe(true)
})

test.each([
  ['a(?=b)', 'lookahead is not supported'],
  ['a(?!b)', 'lookahead is not supported'],
  ['(?<=a)b', 'lookbehind is not supported'],
  ['(?<!a)b', 'lookbehind is not supported'],
  ['(a)\\1', 'backreferences are not supported'],
  ['(?<n>a)\\k<n>', 'named groups are not supported'],
  ['(?P<n>a)', 'named groups are not supported'],
  ['a(?i)b', 'flags are supported only as (?i) at the start'],
  ['(?s).a', 'the group (?s is not supported'],
  ['(?>a)', 'the group (?> is not supported'],
  ['\\p{L}+', 'Unicode classes are not supported'],
  ['[[:alpha:]]', 'named character classes are not supported'],
  ['\\Aa', 'the escape \\A is not supported'],
  ['a+?', 'lazy repetition is not supported: the longest match counts'],
  ['a++', 'possessive repetition is not supported'],
  ['a{2}{3}', 'a repetition is repeated without a group'],
  ['\\b+a', 'an assertion is repeated'],
  ['*a', 'there is nothing to repeat before *'],
  ['{2}', 'there is nothing to repeat before {'],
  ['a{257}', 'a repetition exceeds 256'],
  ['a{3,2}', 'a repetition has a maximum below its minimum'],
  ['ab{0}', 'a repetition has the maximum 0'],
  ['((a{99}){99}){99}', 'it has more than 1000 states'],
  ['a{255}|b{255}|c{255}|d{255}', 'it has more than 1000 states'],
  ['(a', 'a parenthesis is not closed'],
  ['a)', 'a parenthesis is not open'],
  ['[a', 'a character class is not closed'],
  ['[z-a]', 'a range of a character class is not in order'],
  ['[\\d-z]', 'a range of a character class is not in order'],
  ['a\\', 'it ends with a backslash'],
  ['\\x{110000}', '\\x needs two digits, or up to six in braces'],
  ['a*', 'it matches the empty text'],
  ['\\b', 'it matches the empty text'],
  ['(|a)', 'it matches the empty text'],
  ['('.repeat(51), 'groups are nested more than 50 deep'],
])('%s is not: %s', (source, why) => {
  expect(messageIn(readPattern(source))).toBe(why)
})
