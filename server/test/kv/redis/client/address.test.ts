// Tests the valid forms of REDIS_URL, and the first commands that a connection sends because of it.
import { expect, test } from 'vitest'
import { StartupProblem } from '../../../../src/domain/startup-problem.ts'
import { greetingsOf, readRedisAddress } from '../../../../src/kv/redis/client/address.ts'

const plain = { host: 'cache', port: 6379, isEncrypted: false, user: '', password: '', database: 0 }

test.each([
  { url: 'redis://cache', address: plain },
  { url: 'redis://cache:7000/', address: { ...plain, port: 7000 } },
  { url: 'rediss://cache:6380/15', address: { ...plain, port: 6380, isEncrypted: true, database: 15 } },
  { url: 'redis://:p%40ss%2Fw%25@cache', address: { ...plain, password: 'p@ss/w%' } },
  { url: 'redis://app:secret@cache/2', address: { ...plain, user: 'app', password: 'secret', database: 2 } },
  { url: 'redis://[::1]:6379', address: { ...plain, host: '::1' } },
])('$url', ({ url, address }) => {
  expect(readRedisAddress(url)).toEqual(address)
})

test.each([
  'http://:hunter2@cache',
  'redis://:hunter2@cache/first',
  'redis://:hunter2@cache/-1',
  'redis://:hunter2@cache/1/2',
  'redis://:hunter2%@cache',
  'redis://:hunter2@cache:70000',
  'hunter2',
])('%s is refused, without its words', url => {
  let failure: unknown
  try {
    readRedisAddress(url)
  } catch (error) {
    failure = error
  }
  expect(failure).toBeInstanceOf(StartupProblem)
  expect(String(failure)).not.toContain('hunter2')
})

test.each([
  { given: {}, greetings: [['PING']] },
  { given: { user: 'u' }, greetings: [['PING']] },
  { given: { password: 'p' }, greetings: [['AUTH', 'default', 'p'], ['PING']] },
  {
    given: { user: 'u', password: 'p', database: 3 },
    greetings: [['AUTH', 'u', 'p'], ['SELECT', '3'], ['PING']],
  },
])('greets with $greetings', ({ given, greetings }) => {
  expect(greetingsOf({ ...plain, ...given })).toEqual(greetings)
})
