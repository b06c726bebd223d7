// The words for the acts of the audit, of which each that the server records has some, and for the events of a tenant.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeAction } from '../src/screens/audit/action-words.ts'
import { describeTenantEvent } from '../src/screens/webhooks/describe-event.ts'

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

test('an event of an API key has its name, and its id only if the key is not known', () => {
  const event = { type: 'api_key_created', data: { api_key_id: 'id-1', role: 'user' } } as const
  const named = (api_key: { name: string; hint: string | null } | null) => describeTenantEvent({ ...event, api_key })
  expect(named({ name: 'Backend', hint: 'x9Kq' })).toBe('Key Backend (…x9Kq), role user')
  expect(named({ name: 'Backend', hint: null })).toBe('Key Backend, role user')
  expect(named(null)).toBe('Key id-1, role user')
})
