import { describe, expect, test } from 'vitest'
import { checkUserId } from '../../../src/domain/end-users/user-id.ts'
import { messageIn, valueIn } from '../expect-checked.ts'

const empty = 'user_id must not be empty'
const tooLong = 'user_id must be at most 255 characters'
const reserved = 'user_id cannot use a reserved identifier'
const prefix = 'user_id cannot use the svc: prefix (reserved for service accounts)'
const control = 'user_id must not contain control characters'

const words = [
  'dashboard-service',
  'admin',
  'system',
  'internal',
  'service',
  'gateway',
  'sentinel',
  'sallyport',
  'erased',
]

describe('a user id', () => {
  test.each<[unknown, string]>([
    [undefined, 'user_id is required'],
    [null, 'user_id must be a string'],
    [5, 'user_id must be a string'],
    [['alice'], 'user_id must be a string'],
    [{}, 'user_id must be a string'],
    ['', empty],
    ['   ', empty],
    ['\u00a0\ufeff', empty],
    ['\u200b\u2060', empty],
    ['x'.repeat(256), tooLong],
    ['🙂'.repeat(256), tooLong],
    ['a\0b', control],
    ['a\nb', control],
    ['a\r\nX-Role: admin', control],
    ['a\x7fb', control],
    ['a\x85b', control],
    ['a\u2028b', control],
    ['a\ud800b', control],
  ])('%j is refused', (value, message) => expect(messageIn(checkUserId(value))).toBe(message))

  test.each([
    ['alice', 'alice'],
    ['  alice\n', 'alice'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`  ${'x'.repeat(255)}  `, 'x'.repeat(255)],
    ['🙂'.repeat(255), '🙂'.repeat(255)],
    ['Ｆｕｌｌ', 'Ｆｕｌｌ'],
    ['alice@example.com', 'alice@example.com'],
    ['auth0|5f7c8ec7', 'auth0|5f7c8ec7'],
    ['山田太郎', '山田太郎'],
    ['Анна', 'Анна'],
    ['admins', 'admins'],
    ['admin1', 'admin1'],
    ['my-admin', 'my-admin'],
    ['service-desk', 'service-desk'],
    ['svc', 'svc'],
    ['svc-1', 'svc-1'],
    ['msvc:1', 'msvc:1'],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
  ])('%j is accepted', (value, userId) => expect(valueIn(checkUserId(value))).toBe(userId))
})

describe('reserved identifiers', () => {
  test.each(words)('%s is refused in any disguise', word => {
    const wide = [...word].map(letter => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)).join('')
    for (const disguise of [
      word,
      word.toUpperCase(),
      `  ${word} `,
      wide,
      `${word.slice(0, 2)}\u200b${word.slice(2)}`,
      `\u2060${word}`,
      `${word}\u00ad`,
      `${word}\u3164`,
      word.replace('a', 'а').replace('e', 'е').replace('s', 'ѕ'),
      word.replace('i', 'İ').replace('a', 'á'),
      word.replace('-', '\u2011'),
    ]) {
      expect(messageIn(checkUserId(disguise)), JSON.stringify(disguise)).toBe(reserved)
    }
  })

  test.each(words)('%s is open to the dashboard service key', word => {
    expect(valueIn(checkUserId(word, { mayUseReserved: true }))).toBe(word)
  })

  test.each(['аdmin', 'ΑDΜΙΝ', 'аԁміп', 'ѕуѕтем', 'ɡateway', 'admın'])('the look-alike %s is refused', value => {
    expect(messageIn(checkUserId(value))).toBe(reserved)
  })
})

describe('the svc: prefix', () => {
  test.each([
    'svc:',
    'svc:bot',
    'SVC:bot',
    'Svc:x',
    ' svc:x',
    'ｓｖｃ：x',
    's\u200bvc:x',
    'ѕvc:x',
    'svc：x',
    'svc∶x',
    'ſvc:x',
  ])('%j is refused, to the dashboard service key too', value => {
    expect(messageIn(checkUserId(value))).toBe(prefix)
    expect(messageIn(checkUserId(value, { mayUseReserved: true }))).toBe(prefix)
  })
})
