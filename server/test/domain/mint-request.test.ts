import { describe, expect, test } from 'vitest'
import { parseMintRequest } from '../../src/domain/mint-request.ts'
import { messageIn, valueIn } from './expect-checked.ts'

const role = 'role is not a permitted role. Allowed: user, dashboard-service, admin'
const session = 'session_id must be 1-128 characters of A-Z a-z 0-9 _ . : -'
const plain = { user_id: 'alice', role: 'user', ttl: 3600, tier: null, session_id: null }

describe('a mint request', () => {
  test.each([
    ['null', 'user_id is required'],
    ['[]', 'user_id is required'],
    ['"alice"', 'user_id is required'],
    ['{}', 'user_id is required'],
    ['{"__proto__": {"user_id": "alice"}}', 'user_id is required'],
    ['{"user_id": 5}', 'user_id must be a string'],
    ['{"user_id": " "}', 'user_id must not be empty'],
    ['{"user_id": "admin"}', 'user_id cannot use a reserved identifier'],
    ['{"user_id": "a", "role": "owner"}', role],
    ['{"user_id": "a", "role": "User"}', role],
    ['{"user_id": "a", "role": ""}', role],
    ['{"user_id": "a", "role": null}', role],
    ['{"user_id": "a", "role": ["user"]}', role],
    ['{"user_id": "a", "role": "__proto__"}', role],
    ['{"user_id": "a", "ttl": "3600"}', 'ttl must be an integer'],
    ['{"user_id": "a", "ttl": 60.5}', 'ttl must be an integer'],
    ['{"user_id": "a", "ttl": null}', 'ttl must be an integer'],
    ['{"user_id": "a", "ttl": 1e400}', 'ttl must be an integer'],
    ['{"user_id": "a", "ttl": true}', 'ttl must be an integer'],
    ['{"user_id": "a", "ttl": 59}', 'ttl must be at least 60 seconds'],
    ['{"user_id": "a", "ttl": -1}', 'ttl must be at least 60 seconds'],
    ['{"user_id": "a", "ttl": 86401}', 'ttl must be at most 86400 seconds'],
    ['{"user_id": "a", "tier": 1}', 'tier must be a string'],
    ['{"user_id": "a", "tier": null}', 'tier must be a string'],
    ['{"user_id": "a", "tier": "a\\nb"}', 'tier must not contain control characters'],
    [JSON.stringify({ user_id: 'a', tier: 'x'.repeat(256) }), 'tier must be at most 255 characters'],
    ['{"user_id": "a", "session_id": 1}', 'session_id must be a string'],
    ['{"user_id": "a", "session_id": null}', 'session_id must be a string'],
    ['{"user_id": "a", "session_id": "a b"}', session],
    [JSON.stringify({ user_id: 'a', session_id: 'x'.repeat(129) }), session],
    // The order: user_id, role, ttl, tier, session_id.
    ['{"session_id": 1, "tier": 1, "ttl": 1, "role": 1}', 'user_id is required'],
    ['{"session_id": 1, "tier": 1, "ttl": 1, "role": 1, "user_id": "a"}', role],
    ['{"session_id": 1, "tier": 1, "ttl": 1, "user_id": "a"}', 'ttl must be at least 60 seconds'],
    ['{"session_id": 1, "tier": 1, "user_id": "a"}', 'tier must be a string'],
  ])('%.90s is refused', (body, message) => {
    expect(messageIn(parseMintRequest(JSON.parse(body), 'user'))).toBe(message)
  })

  test.each([
    ['{"user_id": " alice "}', plain],
    ['{"user_id": "alice", "role": "admin"}', { ...plain, role: 'admin' }],
    ['{"user_id": "alice", "ttl": 60}', { ...plain, ttl: 60 }],
    ['{"user_id": "alice", "ttl": 86400}', { ...plain, ttl: 86_400 }],
    ['{"user_id": "alice", "tier": " gold "}', { ...plain, tier: 'gold' }],
    ['{"user_id": "alice", "tier": ""}', plain],
    ['{"user_id": "alice", "session_id": "s-1_2.3:4"}', { ...plain, session_id: 's-1_2.3:4' }],
    ['{"user_id": "alice", "session_id": ""}', plain],
    ['{"user_id": "alice", "unknown": 1}', plain],
  ])('%s is accepted', (body, request) => {
    expect(valueIn(parseMintRequest(JSON.parse(body), 'user'))).toEqual(request)
  })

  test("the role is the key's own where none is asked for", () => {
    expect(valueIn(parseMintRequest({ user_id: 'alice' }, 'admin')).role).toBe('admin')
  })

  test('only the dashboard service key may use reserved identifiers', () => {
    expect(valueIn(parseMintRequest({ user_id: 'dashboard-service' }, 'dashboard-service')).user_id).toBe(
      'dashboard-service',
    )
    for (const keyRole of ['user', 'admin'] as const) {
      const body = { user_id: 'dashboard-service', role: 'dashboard-service' }
      expect(messageIn(parseMintRequest(body, keyRole))).toBe('user_id cannot use a reserved identifier')
    }
  })
})
