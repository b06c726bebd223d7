import { randomInt } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { isSlug, newSlug } from '../../src/domain/slug.ts'
import { adjectives, nouns } from '../../src/domain/slug-words.ts'

describe('slugs', () => {
  test.each([
    ['adjectives', adjectives],
    ['nouns', nouns],
  ])('%s: two hundred or more, each once, three to nine lower-case letters', (_name, words) => {
    expect(words.length).toBeGreaterThanOrEqual(200)
    expect(new Set(words).size).toBe(words.length)
    expect(words.filter(word => !/^[a-z]{3,9}$/.test(word))).toEqual([])
  })

  test('are two words and two to four digits, at both ends of chance', () => {
    expect(newSlug(() => 0)).toBe(`${adjectives[0]}-${nouns[0]}-10`)
    expect(newSlug(below => below - 1)).toBe(`${adjectives.at(-1)}-${nouns.at(-1)}-9999`)
    const slugs = Array.from({ length: 500 }, () => newSlug(randomInt))
    expect(slugs.filter(slug => !isSlug(slug))).toEqual([])
    expect(new Set(slugs).size).toBeGreaterThan(490)
  })

  test.each([
    '',
    'amber',
    'amber-falcon',
    'amber-falcon-1',
    'amber-falcon-12345',
    'Amber-falcon-12',
    'a-b-12',
    'amber-falcon-12\n',
    'amber-falcon-12-x',
  ])('%j is none', text => expect(isSlug(text)).toBe(false))
})
