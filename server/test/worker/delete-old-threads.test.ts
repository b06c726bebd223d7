// Threads whose time is over are deleted with all that was said in them; those that are kept, or written to since, stay.
import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { createOutbound } from '../../src/http/outbound.ts'
import { parseOutboundAllow } from '../../src/http/outbound-policy.ts'
import { createProcessStore } from '../../src/kv/process-store.ts'
import { addTurn } from '../../src/storage/thread-rows.ts'
import { deleteOldThreads } from '../../src/worker/delete-old-threads.ts'
import { createHandClock, createMemoryLog } from '../kv/stores.ts'
import { openDistributed, openEmbedded, temporaryFolder } from '../storage/fixtures.ts'
import { createDatabase } from '../support/postgres.ts'

const hourMs = 60 * 60 * 1000

test.each(['sqlite', 'postgres'])('on %s', async backend => {
  const clock = createHandClock(Date.UTC(2026, 4, 1, 12))
  const { log } = createMemoryLog()
  const isEmbedded = backend === 'sqlite'
  const { sql } = isEmbedded
    ? await openEmbedded(temporaryFolder())
    : await openDistributed(await createDatabase(inject('postgresUrl')))
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
    await deleteOldThreads.run({ sql, kv, outbound, now: clock.now, log }, new AbortController().signal)
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
  await Promise.all([outbound.close(), kv.close()])
})
