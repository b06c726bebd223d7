// Tests that Redis has loaded all scripts before the first call: a script that Redis does not know would be sent again,
// and later calls would overtake it.
import { createClient } from 'redis'
import { expect, onTestFinished, test } from 'vitest'
import { scripts } from '../../../src/kv/redis/scripts.ts'
import { createRedisStore } from '../../../src/kv/redis/store.ts'
import { startRedis } from '../../support/redis.ts'
import { createMemoryLog } from '../stores.ts'

test('a store that has been opened on a fresh Redis has loaded them all', async () => {
  const redis = await startRedis()
  onTestFinished(() => redis.stop())
  const store = await createRedisStore({ url: redis.url, log: createMemoryLog().log })
  const client = createClient({ url: redis.url })
  await client.connect()
  const known = await client.sendCommand(['SCRIPT', 'EXISTS', ...Object.values(scripts).map(({ sha1 }) => sha1)])
  client.destroy()
  await store.close()
  expect(known).toEqual(Object.values(scripts).map(() => 1))
})
