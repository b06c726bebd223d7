// Days of usage that close: when they do, that they never change afterwards, that late usage counts for a later day, and
// that runs which were cut short or happened at once count nothing twice. On both databases.
import { randomUUID } from 'node:crypto'
import { describe, expect, inject, test } from 'vitest'
import { createProcessStore } from '../../src/kv/process/store.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../src/outbound/policy.ts'
import { addUsageRows, type UsageRow } from '../../src/storage/add-usage-rows.ts'
import type { Database } from '../../src/storage/open-database.ts'
import { beginDay, rollUpProject } from '../../src/storage/rollups/close-days.ts'
import { listRollups } from '../../src/storage/rollups/list-rollups.ts'
import { closeUsageDays } from '../../src/worker/close-usage-days.ts'
import { deleteOldRows } from '../../src/worker/delete-old-rows.ts'
import { createHandClock, createMemoryLog } from '../kv/stores.ts'
import { openDistributed, openMigrated } from '../storage/fixtures.ts'
import { createDatabase } from '../support/postgres.ts'

const postgresUrl = inject('postgresUrl')
const backends = postgresUrl === '' ? ['SQLite'] : ['SQLite', 'PostgreSQL']
const time = (text: string) => Date.parse(`${text}Z`)

/** A second one on PostgreSQL is another replica's. */
async function openBoth(backend: string): Promise<[Database, Database]> {
  if (backend === 'SQLite') {
    const database = await openMigrated()
    return [database, database]
  }
  const url = await createDatabase(postgresUrl)
  return [await openDistributed(url), await openDistributed(url)]
}

async function openStage(backend: string) {
  const [first, second] = await openBoth(backend)
  const { sql } = first
  const clock = createHandClock(time('2026-05-02T00:00'))
  const { log } = createMemoryLog()
  const kv = createProcessStore({ now: clock.now, log })
  const outbound = createOutbound({ allow: parseOutboundAllow(undefined), log })
  const shelved: { requestId: string; row: string }[] = []
  const job = closeUsageDays({ findShelvedUsage: async () => shelved })
  const dependencies = { sql, kv, outbound, now: clock.now, log }
  const run = (of = sql, signal = new AbortController().signal) => job.run({ ...dependencies, sql: of }, signal)

  async function makeProject(): Promise<string> {
    const [tenantId, id] = [randomUUID(), randomUUID()]
    const tenant = { id: tenantId, name: 'Tenant', plan: 'pro' as const, provider_keys_revision: 0, created_at: 1 }
    await sql.insertInto('tenants').values(tenant).execute()
    const dns = { dns_status: 'READY' as const, dns_last_error: null, dns_updated_at: null }
    const project = { id, tenant_id: tenantId, name: 'Project', slug: `p-${id}`, status: 'active' as const, ...dns }
    await sql
      .insertInto('projects')
      .values({ ...project, created_at: 1 })
      .execute()
    return id
  }

  const use = (projectId: string, day: string, more: Partial<UsageRow> = {}) =>
    addUsageRows({ sql, now: Date.now }, [{ ...usage, request_id: randomUUID(), project_id: projectId, day, ...more }])
  const list = async (projectId: string) => {
    const rows = await listRollups(sql, { projectId, from: null, to: null }, { after: null, limit: 100 })
    return rows.map(({ day, model, requests, closed_at }) => [day, model, requests, closed_at !== null])
  }
  return { sql, second: second.sql, clock, shelved, dependencies, run, makeProject, use, list }
}

const [mini, large] = ['openai/gpt-4o-mini', 'openai/gpt-4o']
const usage = {
  tenant_id: 'tenant',
  user_id: 'alice',
  model: mini,
  provider: 'openai',
  prompt_tokens: 10,
  completion_tokens: 5,
  total_tokens: 15,
  cached_tokens: 0,
  reasoning_tokens: 0,
  cost_nanousd: 2_000_000_001,
  is_estimated: 0 as const,
  endpoint: 'chat_completions' as const,
  created_at: 1,
}

describe.each(backends)('on %s', backend => {
  test('a day closes an hour after midnight UTC, with the sums of all its end users, and not before', async () => {
    const { sql, clock, run, makeProject, use, list } = await openStage(backend)
    const [project, other] = [await makeProject(), await makeProject()]
    for (const user_id of ['alice', 'bob', 'svc:dashboard']) await use(project, '2026-05-01', { user_id })
    await use(project, '2026-05-01', { model: large })
    await use(project, '2026-05-02')
    await use(other, '2026-05-01')
    clock.set(time('2026-05-02T00:59:59.999'))
    await run()
    const open = [
      ['2026-05-01', large, 1, false],
      ['2026-05-01', mini, 3, false],
      ['2026-05-02', mini, 1, false],
    ]
    expect(await list(project)).toEqual(open)
    clock.set(time('2026-05-02T01:00'))
    await run()
    expect(await list(project)).toEqual(open.map(([day, ...rest]) => [day, rest[0], rest[1], day === '2026-05-01']))
    const [, first] = await listRollups(sql, { projectId: project, from: null, to: null }, { after: null, limit: 2 })
    expect(first).toEqual({
      day: '2026-05-01',
      model: mini,
      requests: 3,
      prompt_tokens: 30,
      completion_tokens: 15,
      total_tokens: 45,
      cost_nanousd: 6_000_000_003,
      closed_at: time('2026-05-02T01:00'),
    })
    expect(await list(other)).toEqual([['2026-05-01', mini, 1, true]])
  })

  test('no day closes while usage waits in the store', async () => {
    const { clock, run, shelved, makeProject, use, list } = await openStage(backend)
    const project = await makeProject()
    await use(project, '2026-05-01')
    shelved.push({ requestId: 'r', row: '{}' })
    clock.set(time('2026-05-04T12:00'))
    await run()
    expect(await list(project)).toEqual([['2026-05-01', mini, 1, false]])
    shelved.length = 0
    await run()
    expect(await list(project)).toEqual([['2026-05-01', mini, 1, true]])
  })

  test('usage that is late for its day counts for the next day that closes, once', async () => {
    const { clock, run, makeProject, use, list } = await openStage(backend)
    const project = await makeProject()
    await use(project, '2026-05-01')
    clock.set(time('2026-05-02T01:00'))
    await run()
    await use(project, '2026-05-01')
    await use(project, '2026-05-01', { model: large })
    await run()
    const first = ['2026-05-01', mini, 1, true]
    expect(await list(project)).toEqual([first])
    await use(project, '2026-05-02')
    clock.set(time('2026-05-03T01:00'))
    await run()
    const second = [
      ['2026-05-02', large, 1, true],
      ['2026-05-02', mini, 2, true],
    ]
    expect(await list(project)).toEqual([first, ...second])
    clock.set(time('2026-05-06T01:00'))
    await run()
    expect(await list(project)).toEqual([first, ...second])
  })

  test('usage that is late by seven days counts, and by eight for no rollup', async () => {
    const { clock, run, makeProject, use, list } = await openStage(backend)
    const project = await makeProject()
    await use(project, '2026-05-01')
    clock.set(time('2026-05-09T01:00'))
    await run()
    await use(project, '2026-05-01', { model: large })
    await use(project, '2026-05-02', { model: large })
    clock.set(time('2026-05-10T01:00'))
    await run()
    expect(await list(project)).toEqual([
      ['2026-05-01', mini, 1, true],
      ['2026-05-09', large, 1, true],
    ])
  })

  test('all days since the first usage close one after the other', async () => {
    const { sql, clock, run, makeProject, use, list } = await openStage(backend)
    await run()
    expect(await sql.selectFrom('usage_closings').selectAll().execute()).toEqual([])
    const project = await makeProject()
    const days = ['2026-03-01', '2026-03-02', '2026-04-20', '2026-05-01']
    for (const day of days) await use(project, day)
    clock.set(time('2026-05-02T02:00'))
    await run()
    expect(await list(project)).toEqual(days.map(day => [day, mini, 1, true]))
  })

  test('a run that was cut short is completed by the next one, which counts nothing twice', async () => {
    const { sql, clock, run, makeProject, use, list } = await openStage(backend)
    const [project, other] = [await makeProject(), await makeProject()]
    await use(project, '2026-05-01')
    await use(other, '2026-05-01')
    clock.set(time('2026-05-02T01:00'))
    await beginDay(sql, '2026-05-01')
    expect(await rollUpProject(sql, '2026-05-01', project)).toBe(true)
    await run(sql, AbortSignal.abort())
    expect(await list(project)).toEqual([['2026-05-01', mini, 1, false]])
    await use(project, '2026-05-01')
    await run()
    expect(await list(project)).toEqual([['2026-05-01', mini, 2, true]])
    expect(await list(other)).toEqual([['2026-05-01', mini, 1, true]])
  })

  test('two workers at once count nothing twice', async () => {
    const { sql, second, clock, run, makeProject, use, list } = await openStage(backend)
    const projects = await Promise.all(Array.from({ length: 10 }, makeProject))
    for (const project of projects) await use(project, '2026-05-01')
    clock.set(time('2026-05-02T01:00'))
    await Promise.all([run(), run(second), run(sql), run(second)])
    for (const project of projects) expect(await list(project)).toEqual([['2026-05-01', mini, 1, true]])
  })

  test('a worker that is late changes nothing of a closed day', async () => {
    const { sql, clock, run, makeProject, use, list } = await openStage(backend)
    const project = await makeProject()
    await use(project, '2026-05-01')
    clock.set(time('2026-05-02T01:00'))
    await run()
    await use(project, '2026-05-01')
    await beginDay(sql, '2026-05-01')
    expect(await rollUpProject(sql, '2026-05-01', project)).toBe(false)
    expect(await list(project)).toEqual([['2026-05-01', mini, 1, true]])
  })

  test('closed days stay when the rows of the usage are deleted', async () => {
    const { clock, dependencies, run, makeProject, use, list } = await openStage(backend)
    const project = await makeProject()
    await use(project, '2026-05-01')
    clock.set(time('2026-05-02T01:00'))
    await run()
    clock.set(time('2027-05-02T01:00'))
    await deleteOldRows.run(dependencies, new AbortController().signal)
    expect(await list(project)).toEqual([['2026-05-01', mini, 1, true]])
  })
})
