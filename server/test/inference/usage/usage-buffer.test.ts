// Tests the usage buffer on both databases: each row is written once, even if others arrive during a write, and a row
// that the database rejects does not block others.
import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import type { UsageRecord } from '../../../src/inference/usage/record-usage.ts'
import { createUsageBuffer } from '../../../src/inference/usage/usage-buffer.ts'
import { createMemoryLog } from '../../kv/stores.ts'
import { openDistributed, openMigrated } from '../../storage/fixtures.ts'
import { createDatabase } from '../../support/postgres.ts'

async function openBook(backend: string) {
  const { sql } =
    backend === 'sqlite' ? await openMigrated() : await openDistributed(await createDatabase(inject('postgresUrl')))
  const [tenantId, projectId] = [randomUUID(), randomUUID()]
  const tenant = { id: tenantId, name: 'Tenant', plan: 'free' as const, provider_keys_revision: 0, created_at: 1 }
  await sql.insertInto('tenants').values(tenant).execute()
  const dns = { dns_status: 'READY' as const, dns_last_error: null, dns_updated_at: null }
  const named = { id: projectId, tenant_id: tenantId, name: 'Project', slug: 'amber-falcon-4821' }
  await sql
    .insertInto('projects')
    .values({ ...named, ...dns, status: 'active', created_at: 1 })
    .execute()
  const { log, lines } = createMemoryLog()
  const counts = { written: 0, shelved: 0, dropped: 0 }
  const metrics = {
    usageRows(outcome: keyof typeof counts, rows: number) {
      counts[outcome] += rows
    },
  }
  const record = (more: Partial<UsageRecord> = {}): UsageRecord => ({
    requestId: randomUUID(),
    tenantId,
    projectId,
    userId: 'alice',
    tier: null,
    model: 'openai/gpt-4o',
    provider: 'openai',
    endpoint: 'chat_completions',
    promptTokens: 11,
    completionTokens: 7,
    totalTokens: 18,
    cachedTokens: 0,
    reasoningTokens: 0,
    cost: 1_000_000,
    isEstimated: false,
    at: Date.UTC(2026, 4, 1),
    budgetDay: null,
    platform: null,
    ...more,
  })
  const kept = async () =>
    (await sql.selectFrom('usage_records').select('request_id').execute()).map(row => row.request_id).sort()
  const sums = () =>
    sql.selectFrom('usage_days').select(['user_id', 'requests', 'total_tokens']).orderBy('requests').execute()
  const tiers = () =>
    sql.selectFrom('usage_tiers').select(['tier', 'requests', 'total_tokens']).orderBy('tier').execute()
  const endpoints = () =>
    sql
      .selectFrom('usage_endpoints')
      .select(['endpoint', 'user_id', 'requests', 'total_tokens'])
      .orderBy('endpoint')
      .orderBy('user_id')
      .execute()
  const usageRecorder = createUsageBuffer({ sql, now: Date.now, log, metrics, shelf: null })
  return { usageRecorder, record, kept, sums, tiers, endpoints, counts, lines }
}

test.each(['sqlite', 'postgres'])('each row is written once, whatever comes meanwhile, on %s', async backend => {
  const { usageRecorder, record, kept, sums, counts } = await openBook(backend)
  const ids: string[] = []
  // User `u7` sends seven requests, so each user has a different sum.
  const users = Array.from({ length: 47 }, (_, user) => Array<string>(user).fill(`u${user}`)).flat()
  const add = (some: number) => {
    for (let count = 0; count < some; count++) {
      const added = record({ userId: users[ids.length] ?? '' })
      ids.push(added.requestId)
      void usageRecorder.add(added)
    }
  }
  add(1)
  const flushing = usageRecorder.flush()
  add(1_037)
  void usageRecorder.add(record({ requestId: ids[0] ?? '' }))
  await flushing
  add(40)
  await usageRecorder.flush()
  add(3)
  await usageRecorder.stop()
  expect(await kept()).toEqual([...ids].sort())
  const days = await sums()
  const expected = Array.from({ length: 46 }, (_, at) => ({
    user_id: `u${at + 1}`,
    requests: at + 1,
    total_tokens: 18 * (at + 1),
  }))
  expect(ids).toHaveLength(users.length)
  expect(days).toEqual(expected)
  expect(counts.dropped).toBe(0)
})

test.each(['sqlite', 'postgres'])('a row that cannot be written keeps no other out, on %s', async backend => {
  const { usageRecorder, record, kept, counts, lines } = await openBook(backend)
  const good = [record(), record(), record()]
  const bad = record({ promptTokens: Number.NaN })
  for (const one of [good[0], bad, good[1], good[2]]) void usageRecorder.add(one ?? record())
  await usageRecorder.stop()
  expect(await kept()).toEqual(good.map(({ requestId }) => requestId).sort())
  expect(counts).toEqual({ written: 3, shelved: 0, dropped: 1 })
  expect(lines.filter(({ level }) => level === 'error')).toMatchObject([{ fields: { request_id: bad.requestId } }])
})

test.each(['sqlite', 'postgres'])('usage is summed by tier, once for each row, on %s', async backend => {
  const { usageRecorder, record, tiers } = await openBook(backend)
  const first = record({ tier: 'gold' })
  for (const added of [first, record({ tier: 'gold', userId: 'bob' }), record()]) void usageRecorder.add(added)
  await usageRecorder.flush()
  for (const added of [first, record({ tier: 'silver' }), record({ tier: 'gold' })]) void usageRecorder.add(added)
  await usageRecorder.stop()
  expect(await tiers()).toEqual([
    { tier: '', requests: 1, total_tokens: 18 },
    { tier: 'gold', requests: 3, total_tokens: 54 },
    { tier: 'silver', requests: 1, total_tokens: 18 },
  ])
})

test.each(['sqlite', 'postgres'])(
  'what is not of chat completions is also summed by endpoint, on %s',
  async backend => {
    const { usageRecorder, record, sums, endpoints } = await openBook(backend)
    const first = record({ endpoint: 'embeddings' })
    for (const added of [first, record(), record({ endpoint: 'embeddings', userId: 'bob' })])
      void usageRecorder.add(added)
    await usageRecorder.flush()
    for (const added of [first, record({ endpoint: 'messages' }), record({ endpoint: 'embeddings' })]) {
      void usageRecorder.add(added)
    }
    await usageRecorder.stop()
    expect(await endpoints()).toEqual([
      { endpoint: 'embeddings', user_id: 'alice', requests: 2, total_tokens: 36 },
      { endpoint: 'embeddings', user_id: 'bob', requests: 1, total_tokens: 18 },
      { endpoint: 'messages', user_id: 'alice', requests: 1, total_tokens: 18 },
    ])
    expect(await sums()).toEqual([
      { user_id: 'bob', requests: 1, total_tokens: 18 },
      { user_id: 'alice', requests: 4, total_tokens: 72 },
    ])
  },
)
