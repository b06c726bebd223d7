// What the command menu finds, and in which order.
import { expect, test } from 'vitest'
import { findEntries } from '../src/router/find-entries.ts'

const entry = (title: string, words = '') => ({ group: 'Go to', title, words, path: '/app' })
const titlesOf = (text: string, entries: Parameters<typeof findEntries>[0]) =>
  findEntries(entries, text).map(({ title }) => title)

test('a title that begins with the text comes first, then titles with all its words, then other words', () => {
  const entries = [entry('Alerts', 'api failures'), entry('New API key'), entry('API keys')]
  expect(titlesOf('api', entries)).toEqual(['API keys', 'New API key', 'Alerts'])
  expect(titlesOf('key new', entries)).toEqual(['New API key'])
})

test('every word must be found, and a group shows six at most', () => {
  expect(titlesOf('api nothing', [entry('API keys')])).toEqual([])
  expect(
    titlesOf(
      'm',
      Array.from({ length: 9 }, (_, index) => entry(`Model ${index}`)),
    ),
  ).toHaveLength(6)
})
