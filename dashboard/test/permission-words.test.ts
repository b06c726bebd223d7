// Permissions are sentences in the dashboard, in the words of the table that docs/permissions.md is made of.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { permissions } from '../../server/src/domain/access/permissions.ts'
import { permissionWords, wordsOf } from '../src/screens/members/permission-words.ts'

const screens = join(import.meta.dirname, '../src/screens')

test('every permission has the words of the documentation', () => {
  const plain = (lets: string) => lets.replace('`content:read`', 'the permission to read what end users wrote')
  const expected = Object.entries(permissions).map(([name, { lets }]) => [name, plain(lets)])
  const shown = Object.entries(permissionWords).map(([name, words]) => [
    name,
    words.replace(/^[A-Z]/, first => first.toLowerCase()),
  ])
  expect(shown).toEqual(expected)
  expect(wordsOf('moon:write')).toBe('moon:write')
})

test('no screen names a permission in its text', () => {
  const name = new RegExp(`(?<!['"\\w.])(${Object.keys(permissions).join('|')})(?!['"\\w])`)
  const found = globSync('**/*.tsx', { cwd: screens }).filter(file =>
    name.test(readFileSync(join(screens, file), 'utf8')),
  )
  expect(found).toEqual([])
})
