// One status has one colour: in badges, and in the series of charts.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const screens = join(import.meta.dirname, '../src/screens')
const sources = globSync('**/*.{ts,tsx}', { cwd: screens }).map(file => readFileSync(join(screens, file), 'utf8'))
const text = sources.join('\n')

const badges = [...text.matchAll(/<Badge(?: tone="(\w+)")?>([^<{]+)<\/Badge>/g)].map(
  ([, tone = 'neutral', word = '']) => [word, tone] as const,
)
const series = [...text.matchAll(/title: '([^']+)',\s+tone: '(\w+)'/g)].map(
  ([, word = '', tone = '']) => [word, tone] as const,
)

/** The words that stand in two colours. */
function findMixed(shown: readonly (readonly [string, string])[]): string[] {
  const tones = new Map<string, Set<string>>()
  for (const [word, tone] of shown) tones.set(word, (tones.get(word) ?? new Set()).add(tone))
  return [...tones].filter(([, all]) => all.size > 1).map(([word, all]) => `${word}: ${[...all].join(', ')}`)
}

test('a badge with the same word has the same colour on every screen', () => {
  expect(badges).toContainEqual(['Blocked', 'danger'])
  expect(findMixed(badges)).toEqual([])
})

test('a series with the same title has the same colour in every chart', () => {
  expect(series).toContainEqual(['Rejected', 'warn'])
  expect(findMixed(series)).toEqual([])
})

test('a badge and a series with the same word have the same colour', () => {
  expect(findMixed([...badges, ...series].filter(([word]) => ['Rejected', 'Failed'].includes(word)))).toEqual([])
})
