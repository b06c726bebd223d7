// What the bundle of the server costs in memory: the runtime keeps its text, in two bytes a character if one of them is
// not ASCII.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const code = join(import.meta.dirname, '../../dist/code')

// A template with a tag keeps its characters as they are: HTML has names for them.
test('the text of the bundle is ASCII', () => {
  const names = globSync('*.js', { cwd: code })
  expect(names).toContain('main.js')
  const others = names.flatMap(name => readFileSync(join(code, name), 'utf8').match(/.*[^\0-\x7f].*/g) ?? [])
  expect(others).toEqual([])
})
