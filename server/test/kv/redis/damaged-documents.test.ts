// Tests corrupt documents in Redis: they are never read as something else, the caller is told to read the database, the
// log reports them, and the next write of the same revision repairs them.
import { createClient } from 'redis'
import { expect, inject, onTestFinished, test } from 'vitest'
import { nameKeys } from '../../../src/kv/redis/keys.ts'
import { createRedisStore } from '../../../src/kv/redis/store.ts'
import { type Store, StoreUnavailable } from '../../../src/kv/store.ts'
import { createMemoryLog, newPrefix } from '../stores.ts'

const keyPrefix = newPrefix()
const keys = nameKeys(keyPrefix)
const switches = { global: true, tenants: ['t1'], projects: [] }

interface Case {
  kind: string
  key: string
  write: (store: Store) => Promise<unknown>
  find: (store: Store) => Promise<unknown>
  found: unknown
  damages: string[][]
}

const noBody = ['HDEL', 'body']
const noRevision = ['HSET', 'revision', 'three']

const cases: Case[] = [
  {
    kind: 'config',
    key: keys.config('p1'),
    write: store => store.putConfig('p1', { revision: 3, status: 'suspended', body: '{"a":1}' }),
    find: store => store.findConfig('p1'),
    found: { revision: 3, status: 'suspended', body: '{"a":1}' },
    damages: [noBody, noRevision, ['HSET', 'revision', '3.5'], ['HDEL', 'status'], ['HSET', 'status', 'activ']],
  },
  {
    kind: 'kill-switches',
    key: keys.killSwitches,
    write: store => store.putKillSwitches(switches, 3),
    find: store => store.findKillSwitches(),
    found: { ...switches, revision: 3 },
    damages: [
      noBody,
      noRevision,
      ...[
        '',
        '{"glob',
        '{}',
        '[]',
        'null',
        '{"global":true,"tenants":["t1"]}',
        '{"global":1,"tenants":[],"projects":[]}',
      ].map(body => ['HSET', 'body', body]),
    ],
  },
  {
    kind: 'provider-keys',
    key: keys.providerKeys('t1'),
    write: store => store.putProviderKeys('t1', { revision: 3, body: 'sealed' }),
    find: store => store.findProviderKeys('t1'),
    found: { revision: 3, body: 'sealed' },
    damages: [noBody, noRevision],
  },
  {
    kind: 'key-set',
    key: keys.keySet('p1'),
    write: store => store.putKeySet('p1', { revision: 3, body: '' }),
    find: store => store.findKeySet('p1'),
    found: { revision: 3, body: '' },
    damages: [noBody, noRevision],
  },
  {
    kind: 'slug',
    key: keys.slug('s1'),
    write: store => store.putSlugs([{ slug: 's1', projectId: 'p1', tenantId: 't1' }]),
    find: store => store.findSlug('s1'),
    found: { projectId: 'p1', tenantId: 't1' },
    damages: ['', '{"projectId":"p1"', '{"projectId":"p1"}', 'null'].map(text => ['SET', text]),
  },
]

test.each(cases)('$kind', async ({ kind, key, write, find, found, damages }) => {
  const { log, lines } = createMemoryLog()
  const url = inject('redisUrl')
  const store = await createRedisStore({ url, log, keyPrefix, commandTimeoutMs: 15_000, startTimeoutMs: 30_000 })
  const client = createClient({ url })
  await client.connect()
  onTestFinished(async () => {
    client.destroy()
    await store.close()
  })
  for (const [command = '', ...rest] of damages) {
    await write(store)
    expect(await find(store)).toEqual(found)
    await client.sendCommand([command, key, ...rest])
    await expect(find(store), rest.join(' ')).rejects.toThrow(StoreUnavailable)
    // Logged only the first time, because a minute has not passed.
    expect(lines).toMatchObject([{ level: 'error', fields: { reason: kind, count: 1 } }])
  }
  await write(store)
  expect(await find(store)).toEqual(found)
})

test('a document without a body is replaced whatever its revision', async () => {
  const { log } = createMemoryLog()
  const url = inject('redisUrl')
  const store = await createRedisStore({ url, log, keyPrefix, commandTimeoutMs: 15_000, startTimeoutMs: 30_000 })
  const client = createClient({ url })
  await client.connect()
  onTestFinished(async () => {
    client.destroy()
    await store.close()
  })
  const document = { revision: 3, status: 'active' as const, body: '{}' }
  await store.putConfig('p2', { ...document, revision: 9 })
  expect(await store.putConfig('p2', document)).toBe('older')
  await client.sendCommand(['HDEL', keys.config('p2'), 'body'])
  expect(await store.putConfig('p2', document)).toBe('stored')
  expect(await store.findConfig('p2')).toEqual(document)
})
