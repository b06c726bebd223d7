// Threads whose time is over are deleted with all that was said in them, a page at a time; those that are kept, or
// written to since, stay.
import { randomUUID } from 'node:crypto'
import { type KyselyPlugin, sql as text } from 'kysely'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createProcessStore } from '../../src/kv/process/store.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../src/outbound/policy.ts'
import { addTurn } from '../../src/storage/conversations/thread-rows.ts'
import { deleteOldThreads } from '../../src/worker/delete-old-threads.ts'
import { createHandClock, createMemoryLog } from '../kv/stores.ts'
import { openDistributed, openMigrated } from '../storage/fixtures.ts'
import { createDatabase } from '../support/postgres.ts'

const hourMs = 60 * 60 * 1000
const backends = ['sqlite', 'postgres']

async function openStage(backend: string) {
  const clock = createHandClock(Date.UTC(2026, 4, 1, 12))
  const { log } = createMemoryLog()
  const { sql, dialect } =
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
  const kv = createProcessStore({ now: clock.now, log })
  const outbound = createOutbound({ allow: parseOutboundAllow(undefined), log })
  onTestFinished(async () => {
    await Promise.all([outbound.close(), kv.close()])
  })
  const run = (signal: AbortSignal, given = sql) =>
    deleteOldThreads.run({ sql: given, kv, outbound, now: clock.now, log }, signal)
  return { clock, sql, dialect, projectId, run }
}

test.each(backends)('threads whose time is over go, on %s', async backend => {
  const { clock, sql, projectId, run } = await openStage(backend)
  const write = (threadId: string, retentionDays: number | null) =>
    addTurn(
      sql,
      { projectId, userId: 'alice' },
      {
        threadId,
        title: '',
        retentionDays,
        messages: [{ id: randomUUID(), role: 'user', body: '{"role":"user","content":"a"}' }],
        at: clock.now(),
      },
    )
  const left = async () => {
    await run(new AbortController().signal)
    const threads = await sql.selectFrom('threads').select('id').orderBy('id').execute()
    const said = await sql.selectFrom('thread_messages').select('thread_id').distinct().orderBy('thread_id').execute()
    expect(said.map(row => row.thread_id)).toEqual(threads.map(row => row.id))
    return threads.map(row => row.id)
  }

  await write('a-day', 1)
  await write('kept', null)
  await write('later-kept', 1)
  await write('two-days', 2)
  await write('written-again', 1)
  clock.advance(12 * hourMs)
  await write('later-kept', null)
  await write('written-again', 1)
  clock.advance(12 * hourMs - 1)
  expect(await left()).toHaveLength(5)
  clock.advance(1)
  expect(await left()).toEqual(['kept', 'later-kept', 'two-days', 'written-again'])
  clock.advance(12 * hourMs)
  expect(await left()).toEqual(['kept', 'later-kept', 'two-days'])
  clock.advance(24 * hourMs)
  expect(await left()).toEqual(['kept', 'later-kept'])
})

test.each(backends)('others come in between, and what is done is kept, on %s', async backend => {
  const { clock, sql, dialect, projectId, run } = await openStage(backend)
  const at = clock.now() - 48 * hourMs
  const big = 3
  // The oldest are the large ones; those of two days come after those of one.
  await text`
    insert into threads (project_id, user_id, id, title, message_count, retention_days, created_at, updated_at)
    with recursive rows (n) as (select 0 union all select n + 1 from rows where n < 299)
    select ${projectId}, 'alice', 'thread-' || n, '', case when n < ${text.lit(big)} then 300 else 1 end,
      1 + n / 150, 1, cast(${at} as bigint) - 300 + n from rows`.execute(sql)
  await text`
    insert into thread_messages (project_id, user_id, thread_id, position, id, role, body, created_at)
    with recursive rows (n) as (select 1 union all select n + 1 from rows where n < 300)
    select project_id, user_id, threads.id, n, 'message-' || n, 'user', '{}', 1 from threads, rows
    where n <= message_count`.execute(sql)
  if (dialect === 'postgres') await text`analyze`.execute(sql)
  const left = async () =>
    Number(
      (
        await sql
          .selectFrom('threads')
          .select(row => row.fn.countAll().as('count'))
          .executeTakeFirst()
      )?.count,
    )

  // Said in the first page's own turn of the loop: on SQLite nobody is heard before that is over.
  const stopping = new AbortController()
  const stopAfterPage: KyselyPlugin = {
    transformQuery({ node }) {
      if (node.kind === 'DeleteQueryNode') setImmediate(() => stopping.abort())
      return node
    },
    transformResult: async ({ result }) => result,
  }
  await run(stopping.signal, sql.withPlugin(stopAfterPage))
  expect(await left()).toBe(298)
  expect(await sql.selectFrom('threads').select('id').where('message_count', '>', 1).execute()).toHaveLength(1)

  await run(new AbortController().signal)
  expect(await left()).toBe(0)
  expect(await sql.selectFrom('thread_messages').select('id').executeTakeFirst()).toBeUndefined()
})
