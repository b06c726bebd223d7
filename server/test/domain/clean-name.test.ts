import { describe, expect, test } from 'vitest'
import { cleanName } from '../../src/domain/clean-name.ts'
import { messageIn, valueIn } from './expect-checked.ts'

describe('a name', () => {
  test.each<[unknown, string]>([
    [undefined, 'name is required'],
    [null, 'name is required'],
    ['', 'name is required'],
    [' \t\n', 'name is required'],
    ['\u200b', 'name is required'],
    [5, 'name must be a string'],
    [['x'], 'name must be a string'],
    ['x'.repeat(256), 'name must be at most 255 characters'],
    ['a\0b', 'name must not contain control characters'],
    ['a\nb', 'name must not contain control characters'],
    ['a\ud800', 'name must not contain control characters'],
  ])('%j is refused', (value, message) => expect(messageIn(cleanName(value))).toBe(message))

  test.each([
    [' Acme ', 'Acme'],
    ['x'.repeat(255), 'x'.repeat(255)],
    ['🙂'.repeat(255), '🙂'.repeat(255)],
    ['<script>', '<script>'],
  ])('%j is accepted', (value, name) => expect(valueIn(cleanName(value))).toBe(name))

  test('the words name the field', () => {
    expect(messageIn(cleanName('', 'displayName'))).toBe('displayName is required')
  })
})
