// Stored responses expire, are deleted a page at a time, and form chains that are bounded in messages and bytes, on both
// databases.
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  addResponse,
  deleteExpiredResponses,
  deleteResponse,
  findResponse,
  listChain,
} from '../../../src/storage/conversations/stored-responses.ts'
import { deleteOldRows } from '../../../src/worker/delete-old-rows.ts'
import { backends, openDrainStage, run } from '../../worker/drain-events-stage.ts'

const noon = Date.UTC(2026, 4, 1, 12)

async function openStage(backend: (typeof backends)[number]) {
  const stage = await openDrainStage(backend)
  const { sql } = stage
  const [tenantId, projectId] = [randomUUID(), randomUUID()]
  const tenant = { id: tenantId, name: 'Tenant', plan: 'free' as const, provider_keys_revision: 0, created_at: 1 }
  await sql.insertInto('tenants').values(tenant).execute()
  const dns = { dns_status: 'READY' as const, dns_last_error: null, dns_updated_at: null }
  const named = { id: projectId, tenant_id: tenantId, name: 'Project', slug: 'amber-falcon-4821' }
  await sql
    .insertInto('projects')
    .values({ ...named, ...dns, status: 'active', created_at: 1 })
    .execute()
  const owner = { projectId, userId: 'alice' }
  const add = (
    id: string,
    {
      previousId = null,
      messages = [id],
      expiresAt = noon + 1,
    }: { previousId?: string | null; messages?: string[]; expiresAt?: number } = {},
  ) =>
    addResponse(sql, owner, {
      id,
      previousId,
      body: `{"id":"${id}"}`,
      messages: JSON.stringify(messages),
      messageCount: messages.length,
      createdAt: noon,
      expiresAt,
    })
  const chainOf = (id: string, last: number, now = noon) => listChain(sql, owner, id, { now, last })
  return { stage, sql, owner, add, chainOf }
}

test.each(backends)('a response that has expired is not found, not continued and not deleted, on %s', async backend => {
  const { sql, owner, add, chainOf } = await openStage(backend)
  await add('resp_1')
  await add('resp_2', { previousId: 'resp_1', expiresAt: noon + 2 })
  expect(await findResponse(sql, owner, 'resp_1', noon)).toBe('{"id":"resp_1"}')
  expect(await chainOf('resp_2', 9)).toEqual(['["resp_2"]', '["resp_1"]'])
  const later = noon + 1
  expect(await findResponse(sql, owner, 'resp_1', later)).toBeNull()
  expect(await chainOf('resp_1', 9, later)).toBeNull()
  expect(await chainOf('resp_2', 9, later)).toEqual(['["resp_2"]'])
  expect(await deleteResponse(sql, owner, 'resp_1', later)).toBe(false)
  expect(await deleteResponse(sql, owner, 'resp_2', later)).toBe(true)
})

test.each(backends)('a chain is bounded by messages and by bytes, on %s', async backend => {
  const { add, chainOf } = await openStage(backend)
  await add('resp_1', { messages: ['a', 'b'] })
  await add('resp_2', { previousId: 'resp_1', messages: ['c', 'd'] })
  await add('resp_3', { previousId: 'resp_2', messages: ['e'] })
  expect(await chainOf('resp_3', 1)).toEqual(['["e"]'])
  expect(await chainOf('resp_3', 2)).toEqual(['["e"]', '["c","d"]'])
  expect(await chainOf('resp_3', 3)).toEqual(['["e"]', '["c","d"]'])
  expect(await chainOf('resp_3', 4)).toHaveLength(3)
  const large = 'x'.repeat(5 * 1024 * 1024)
  await add('resp_4', { previousId: 'resp_3', messages: [large] })
  await add('resp_5', { previousId: 'resp_4', messages: [large] })
  expect(await chainOf('resp_5', 9)).toHaveLength(1)
  // A provider that repeats its ids may make a circle.
  await add('resp_1', { previousId: 'resp_3', messages: ['f'] })
  expect((await chainOf('resp_3', 100))?.length).toBeLessThanOrEqual(100)
})

test.each(backends)('a response belongs to its owner, and its id is free for others, on %s', async backend => {
  const { sql, owner, add } = await openStage(backend)
  await add('resp_1')
  for (const other of [
    { ...owner, userId: 'bob' },
    { ...owner, projectId: randomUUID() },
  ]) {
    expect(await findResponse(sql, other, 'resp_1', noon)).toBeNull()
    expect(await listChain(sql, other, 'resp_1', { now: noon, last: 9 })).toBeNull()
    expect(await deleteResponse(sql, other, 'resp_1', noon)).toBe(false)
  }
  // Another user's response does not continue it.
  await addResponse(
    sql,
    { ...owner, userId: 'bob' },
    {
      id: 'resp_2',
      previousId: 'resp_1',
      body: '{}',
      messages: '["bob"]',
      messageCount: 1,
      createdAt: noon,
      expiresAt: noon + 1,
    },
  )
  const chain = await listChain(sql, { ...owner, userId: 'bob' }, 'resp_2', { now: noon, last: 9 })
  expect(chain).toEqual(['["bob"]'])
})

test.each(backends)('expired responses are deleted in pages, on %s', async backend => {
  const { stage, sql, add } = await openStage(backend)
  for (let index = 0; index < 120; index++) await add(`resp_${index}`, { expiresAt: noon - index })
  await add('resp_kept')
  const left = async () => (await sql.selectFrom('stored_responses').select('id').execute()).length
  expect(await deleteExpiredResponses(sql, noon, 7)).toBe(7)
  expect(await left()).toBe(114)
  await run(deleteOldRows.run, { ...stage, now: () => noon })
  expect(await left()).toBe(1)
})
