// Tests that guardrail events name the end user, and tell the users of a project apart by a hash.

import { expect, test } from 'vitest'
import { openGuard, promptOf, said } from './open-guard.ts'

test('an end user: by id and by one hash for all events of the user; none for services', async () => {
  const guard = openGuard({ pii_mode: 'shadow', pii_entities: { EMAIL_ADDRESS: 'MASK' } })
  const projectId = '0c5ec2a0-9f1c-4a77-a3de-7c1f0f3a0b11'
  const owners = [
    { userId: 'alice' },
    { userId: 'alice' },
    { userId: 'bob' },
    { userId: 'alice', projectId },
    { userId: 'svc:playground:alice' },
  ]
  for (const owner of owners) await guard.check(promptOf([said('Write to zoe@example.com')]), owner)
  const events = await guard.events()
  const [first, again, other, elsewhere, service] = events.map(event => event?.userHash)
  expect(first).toMatch(/^[0-9a-f]{32}$/)
  expect(again).toBe(first)
  expect(new Set([first, other, elsewhere]).size).toBe(3)
  expect(service).toBeUndefined()
  expect(events.map(event => event?.userId)).toEqual(['alice', 'alice', 'bob', 'alice', undefined])
})
