// What belonged to a deleted project or tenant is erased from every table and from the store, a page at a time; what
// belongs to others stays, and no table with such rows is missing from the list.
import { type Kysely, sql as text } from 'kysely'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { createProcessStore } from '../../src/kv/process/store.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../src/outbound/policy.ts'
import { projectTables, tenantTables } from '../../src/storage/owned/owned-tables.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { eraseDeleted, settledMs } from '../../src/worker/erase-deleted.ts'
import { createHandClock, createMemoryLog } from '../kv/stores.ts'
import { openDistributed, openMigrated, sampleRows } from '../storage/fixtures.ts'
import { createDatabase } from '../support/postgres.ts'

const start = Date.UTC(2026, 4, 1, 12)
/** The worker removes the names, and with them this row, by itself; a switch names its target in another way. */
const ownDeletion = ['dns_jobs', 'projects']

async function openStage(backend: string) {
  const clock = createHandClock(start)
  const { log } = createMemoryLog()
  const { sql, ...database } =
    backend === 'sqlite' ? await openMigrated() : await openDistributed(await createDatabase(inject('postgresUrl')))
  const kv = createProcessStore({ now: clock.now, log })
  const outbound = createOutbound({ allow: parseOutboundAllow(undefined), log })
  onTestFinished(async () => {
    await Promise.all([outbound.close(), kv.close()])
  })
  const job = eraseDeleted(1000, database)
  const run = () => job.run({ sql, kv, outbound, now: clock.now, log }, new AbortController().signal)
  return { clock, sql, kv, run }
}

/** Everything twice: as the samples have it, and the same of project p2 in tenant t2. */
async function fill(sql: Kysely<Schema>): Promise<void> {
  const ids = ['id', 'digest', 'token_digest', 'request_id']
  for (const [name, rows] of Object.entries(sampleRows) as [keyof Schema, Record<string, unknown>[]][]) {
    const insert = (values: Record<string, unknown>[]) =>
      sql
        .insertInto(name)
        .values(values as never)
        .execute()
    if (name === 'projects' || name === 'tenants') await insert(rows.map(row => ({ ...row, deleted_at: null })))
    else await insert(rows)
    if (!isOwned(name)) continue
    const moved = rows
      .filter(row => row['project_id'] !== 'p2' && row['tenant_id'] !== 't2')
      .map(row => ({
        ...Object.fromEntries(
          Object.entries(row).map(([key, value]) => [key, ids.includes(key) ? `2${value}` : value]),
        ),
        ...('project_id' in row ? { project_id: 'p2' } : {}),
        ...('tenant_id' in row ? { tenant_id: 't2' } : {}),
        ...('thread_id' in row ? { thread_id: `2${row['thread_id']}` } : {}),
      }))
    for (const row of moved) {
      await sql
        .insertInto(name)
        .values(row as never)
        .onConflict(conflict => conflict.doNothing())
        .execute()
    }
  }
}

const isOwned = (name: string) => [...projectTables, ...tenantTables].some(table => table.name === name)

async function countOf(sql: Kysely<Schema>, name: string, column: string, id: string): Promise<number> {
  const query = text<{
    count: number | string
  }>`select count(*) as count from ${text.table(name)} where ${text.ref(column)} = ${id}`
  return Number((await query.execute(sql)).rows[0]?.count)
}

async function countAll(sql: Kysely<Schema>, column: 'project_id' | 'tenant_id', id: string) {
  const tables = await sql.introspection.getTables()
  const holding = tables.filter(table => table.columns.some(({ name }) => name === column)).map(({ name }) => name)
  return Object.fromEntries(
    await Promise.all(holding.sort().map(async name => [name, await countOf(sql, name, column, id)] as const)),
  )
}

describe.each(['sqlite', 'postgres'])('on %s', backend => {
  test('every table that names a project or a tenant is on the list, with its columns', async () => {
    const { sql } = await openStage(backend)
    const tables = await sql.introspection.getTables()
    const listed = [...projectTables, ...tenantTables]
    for (const { name, columns } of tables) {
      const owners = columns.filter(column => ['project_id', 'tenant_id'].includes(column.name))
      const isListed = listed.some(table => table.name === name) || ownDeletion.includes(name)
      expect({ name, isListed }).toEqual({ name, isListed: owners.length > 0 ? true : isListed })
    }
    for (const { name, owner, key, hidden = [], json = [], flags = [], large = [] } of listed) {
      const columns = tables.find(table => table.name === name)?.columns.map(column => column.name)
      const named = [owner, ...key, ...hidden, ...json, ...flags, ...large]
      expect(columns, name).toEqual(expect.arrayContaining(named))
    }
  })

  test('a deleted project goes at once but for its row, which goes once all has settled', async () => {
    const { clock, sql, kv, run } = await openStage(backend)
    await fill(sql)
    await sql.deleteFrom('dns_jobs').execute()
    const others = await countAll(sql, 'project_id', 'p2')
    expect(Object.values(await countAll(sql, 'project_id', 'p1')).filter(count => count > 0).length).toBeGreaterThan(10)
    const revisions = ['key-set:p1', 'restrictions:p1', 'restrictions:p2'].map(name => ({ name, revision: 1 }))
    await sql
      .insertInto('revisions')
      .values(revisions)
      .onConflict(conflict => conflict.doNothing())
      .execute()
    await kv.putSlugs([{ slug: 'amber-falcon-4821', projectId: 'p1', tenantId: 't1' }])
    await kv.putConfig('p1', { revision: 1, status: 'suspended', body: '{}' })
    await kv.appendTurn('p1:user:talk', ['hello'], { keep: 9, ttlSeconds: 60 })
    await kv.appendTurn('p2:user:talk', ['hello'], { keep: 9, ttlSeconds: 60 })
    for (const id of ['p1', 'p2']) await kv.keepAnswer(`${id}:user:digest`, 'hello', 60)
    await run()
    expect(await countOf(sql, 'settings', 'project_id', 'p1')).toBe(1)
    await sql.updateTable('projects').set({ deleted_at: start, status: 'suspended' }).where('id', '=', 'p1').execute()
    await run()
    const left = await countAll(sql, 'project_id', 'p1')
    // What was done to it stays in the audit of its tenant.
    expect(Object.entries(left).filter(([, count]) => count > 0)).toEqual([['audit_entries', 1]])
    expect(await countAll(sql, 'project_id', 'p2')).toEqual(others)
    const named = await sql.selectFrom('revisions').select('name').where('name', 'like', '%:p_').execute()
    expect(named).toEqual([{ name: 'restrictions:p2' }])
    expect([await kv.findSlug('amber-falcon-4821'), await kv.findConfig('p1')]).toEqual([null, null])
    expect(await kv.recallTurns('p1:user:talk', 9, 60)).toEqual([])
    expect(await kv.recallTurns('p2:user:talk', 9, 60)).toEqual(['hello'])
    expect(await kv.findAnswer('p1:user:digest')).toBeNull()
    expect(await kv.findAnswer('p2:user:digest')).toBe('hello')
    expect(await countOf(sql, 'projects', 'id', 'p1')).toBe(1)
    // Late: written by an answer that ended after the deletion, and by a sync cycle that had read the rows before it.
    await sql
      .insertInto('usage_days')
      .values({ ...sampleRows.usage_days[0], project_id: 'p1' })
      .execute()
    await kv.putSlugs([{ slug: 'amber-falcon-4821', projectId: 'p1', tenantId: 't1' }])
    clock.advance(settledMs)
    await run()
    expect(await countOf(sql, 'usage_days', 'project_id', 'p1')).toBe(0)
    expect(await kv.findSlug('amber-falcon-4821')).toBeNull()
    expect(await countOf(sql, 'projects', 'id', 'p1')).toBe(0)
    expect(await countOf(sql, 'projects', 'id', 'p2')).toBe(1)
  })

  test('its row waits until its host names are removed, and its kill switch goes', async () => {
    const { clock, sql, run } = await openStage(backend)
    await fill(sql)
    await sql.deleteFrom('dns_jobs').where('project_id', '!=', 'p1').execute()
    expect(await countOf(sql, 'dns_jobs', 'project_id', 'p1')).toBe(1)
    await sql.deleteFrom('kill_switches').execute()
    for (const target_id of ['p1', 'p2']) {
      await sql.insertInto('kill_switches').values({ scope: 'project', target_id, enabled: 1, updated_at: 1 }).execute()
    }
    await sql.updateTable('projects').set({ deleted_at: start }).where('id', '=', 'p1').execute()
    clock.advance(settledMs)
    await run()
    expect(await countOf(sql, 'projects', 'id', 'p1')).toBe(1)
    expect(await sql.selectFrom('kill_switches').select('target_id').execute()).toEqual([{ target_id: 'p2' }])
    await sql.deleteFrom('dns_jobs').execute()
    await run()
    expect(await countOf(sql, 'projects', 'id', 'p1')).toBe(0)
  })

  test('more rows than a page are all erased, and the counts of events follow', async () => {
    const { sql, run } = await openStage(backend)
    await fill(sql)
    await sql.deleteFrom('guardrail_events').execute()
    await sql.deleteFrom('guardrail_event_counts').execute()
    const [usage] = sampleRows.usage_records
    const [event] = sampleRows.guardrail_events
    for (let index = 0; index < 1100; index++) {
      const ofProject = { project_id: index < 1010 ? 'p1' : 'p2', tenant_id: 't1' }
      await sql
        .insertInto('usage_records')
        .values({ ...usage, ...ofProject, request_id: `page${index}` })
        .execute()
      await sql
        .insertInto('guardrail_events')
        .values({ ...event, ...ofProject, id: `e${index}` })
        .execute()
    }
    await sql.insertInto('guardrail_event_counts').values({ tenant_id: 't1', held: 1100, capped: 5 }).execute()
    await sql.updateTable('projects').set({ deleted_at: start }).where('id', '=', 'p1').execute()
    await run()
    expect(await countOf(sql, 'usage_records', 'project_id', 'p1')).toBe(0)
    expect(await countOf(sql, 'guardrail_events', 'project_id', 'p1')).toBe(0)
    expect(await countOf(sql, 'guardrail_events', 'project_id', 'p2')).toBe(90)
    const counts = await sql.selectFrom('guardrail_event_counts').selectAll().execute()
    expect(counts).toEqual([{ tenant_id: 't1', held: 90, capped: 5 }])
  })

  test('a deleted tenant goes after its projects', async () => {
    const { clock, sql, kv, run } = await openStage(backend)
    await fill(sql)
    await sql.deleteFrom('dns_jobs').execute()
    const others = await countAll(sql, 'tenant_id', 't2')
    await kv.putProviderKeys('t1', { revision: 1, body: '{}' })
    await sql.updateTable('tenants').set({ deleted_at: start }).where('id', '=', 't1').execute()
    await run()
    expect(await countOf(sql, 'provider_keys', 'tenant_id', 't1')).toBeGreaterThan(0)
    await sql.updateTable('projects').set({ deleted_at: start }).where('tenant_id', '=', 't1').execute()
    clock.advance(settledMs)
    await run()
    const left = await countAll(sql, 'tenant_id', 't1')
    expect(Object.entries(left).filter(([, count]) => count > 0)).toEqual([])
    expect(await countAll(sql, 'tenant_id', 't2')).toEqual(others)
    expect(await kv.findProviderKeys('t1')).toBeNull()
    expect(await sql.selectFrom('tenants').select('id').execute()).toEqual([{ id: 't2' }])
  })
})
