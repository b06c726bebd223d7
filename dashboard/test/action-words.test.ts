// The words for the acts of the audit: each act that the server records has some.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeAction } from '../src/screens/audit/action-words.ts'

const source = join(import.meta.dirname, '../../server/src')
const actions = globSync('**/*.ts', { cwd: source }).flatMap(file =>
  [...readFileSync(join(source, file), 'utf8').matchAll(/\baction: '([a-z_]+\.[a-z_]+)'/g)].map(
    ([, action]) => action ?? '',
  ),
)

test('every act is described in words', () => {
  expect(actions).toContain('settings.deploy')
  expect(actions.filter(action => describeAction(action) === action)).toEqual([])
  expect(['settings.deploy', 'end_user.revoke_tokens', 'price.put'].map(describeAction)).toEqual([
    'Settings deployed',
    'End user tokens revoked',
    'Price saved',
  ])
})

test('an act of another version is shown as its code', () => {
  expect(describeAction('settings.invent')).toBe('settings.invent')
  expect(describeAction('unknown')).toBe('unknown')
})
