// The word lists of Sentinel are kept so that a word is found where one looks for it, and stands there once.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const folder = join(import.meta.dirname, '../../../src/guardrails/sentinel/lexicons')

/** From `name: words…` with indented lines that continue it. */
function readClasses(source: string): Array<{ name: string; words: string[] }> {
  const [, list = ''] = source.split('`\n')
  const classes: Array<{ name: string; words: string[] }> = []
  for (const line of list.split('\n')) {
    const [, name, rest = ''] = /^([a-z][A-Za-z]*):(.*)$/.exec(line) ?? []
    if (name !== undefined) classes.push({ name, words: [] })
    const words = (name === undefined ? line : rest).trim().split(/\s+/)
    classes.at(-1)?.words.push(...words.filter(word => word !== ''))
  }
  return classes
}

describe.each(readdirSync(folder))('%s', file => {
  const classes = readClasses(readFileSync(join(folder, file), 'utf8').replace(/`\n?$/, ''))
  // A vague word, marked by `~`, is sorted like any other.
  const withoutMark = (word: string): string => word.replace(/^~/, '')

  test('names each class once', () => {
    const names = classes.map(({ name }) => name)
    expect(names.length).toBeGreaterThan(10)
    expect(new Set(names).size).toBe(names.length)
  })

  test.each(classes)('sorts the words of $name, each once', ({ words }) => {
    const bare = words.map(withoutMark)
    expect(bare).toEqual([...new Set(bare)].sort())
  })
})
