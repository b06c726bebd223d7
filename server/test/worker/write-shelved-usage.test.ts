// Usage that waited in the store: written once the database is back; what cannot be read is dropped, counted, and in no
// log.
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../src/outbound/policy.ts'
import type { UsageRow } from '../../src/storage/add-usage-rows.ts'
import { writeShelvedUsage } from '../../src/worker/write-shelved-usage.ts'
import { createHandClock, createMemoryLog, openRedisStore } from '../kv/stores.ts'
import { openMigrated } from '../storage/fixtures.ts'

async function openStage() {
  const { sql: database } = await openMigrated()
  const { log, lines } = createMemoryLog()
  const kv = await openRedisStore(inject('redisUrl'))({ clock: createHandClock(Date.now()) })
  const shelf = kv.shelf ?? expect.fail('a store without a shelf')
  const outbound = createOutbound({ allow: parseOutboundAllow(undefined), log })
  onTestFinished(async () => {
    await Promise.all([outbound.close(), kv.close()])
  })
  const run = (given = shelf) =>
    writeShelvedUsage(given).run({ sql: database, kv, outbound, now: Date.now, log }, new AbortController().signal)
  const listWritten = async () =>
    (await database.selectFrom('usage_records').select('request_id').execute()).map(row => row.request_id)
  const listEndpoints = async () => await database.selectFrom('usage_records').select('endpoint').distinct().execute()
  return { database, shelf, lines, run, listWritten, listEndpoints }
}

/** As the version before tiers and endpoints shelved it. */
function rowOf(requestId: string): Omit<UsageRow, 'endpoint'> {
  return {
    request_id: requestId,
    tenant_id: randomUUID(),
    project_id: randomUUID(),
    user_id: 'alice',
    day: '2026-05-01',
    model: 'openai/gpt-4o-mini',
    provider: 'openai',
    prompt_tokens: 3,
    completion_tokens: 4,
    total_tokens: 7,
    cached_tokens: 0,
    reasoning_tokens: 0,
    cost_nanousd: 5,
    is_estimated: 0,
    created_at: 1,
  }
}

test('what can be read is written, what cannot is counted, and neither is found again', async () => {
  const { shelf, lines, run, listWritten, listEndpoints } = await openStage()
  const [whole, cut, foreign] = [randomUUID(), randomUUID(), randomUUID()]
  await shelf.shelveUsage([
    { requestId: cut, row: '{"request_id":"alice-was-here' },
    { requestId: whole, row: JSON.stringify(rowOf(whole)) },
    { requestId: foreign, row: '{"somebody":"else"}' },
  ])
  await run()
  expect(await listWritten()).toEqual([whole])
  expect(await listEndpoints()).toEqual([{ endpoint: 'chat_completions' }])
  expect(lines).toEqual([
    { level: 'info', event: 'shelved usage written to the database', fields: { count: 1 } },
    { level: 'error', event: 'unreadable shelved usage dropped', fields: { count: 2 } },
  ])
  expect(await shelf.findShelvedUsage(10)).toEqual([])
  await run()
  expect(lines).toHaveLength(2)
})

test('what the database does not take stays on the shelf, and is written once it does', async () => {
  const { database, shelf, run, listWritten } = await openStage()
  const ids = Array.from({ length: 3 }, () => randomUUID())
  await shelf.shelveUsage(ids.map(id => ({ requestId: id, row: JSON.stringify(rowOf(id)) })))
  await sql`alter table usage_records rename to usage_records_away`.execute(database)
  await expect(run()).rejects.toThrow()
  expect((await shelf.findShelvedUsage(10)).map(({ requestId }) => requestId).sort()).toEqual(ids.toSorted())
  await sql`alter table usage_records_away rename to usage_records`.execute(database)
  await run()
  expect((await listWritten()).sort()).toEqual(ids.toSorted())
  expect(await shelf.findShelvedUsage(10)).toEqual([])
})

test('rows are in the database when the shelf forgets them', async () => {
  const { shelf, run, listWritten } = await openStage()
  const ids = Array.from({ length: 3 }, () => randomUUID())
  await shelf.shelveUsage(ids.map(id => ({ requestId: id, row: JSON.stringify(rowOf(id)) })))
  const writtenBefore: string[][] = []
  await run({
    ...shelf,
    async forgetShelvedUsage(requestIds) {
      writtenBefore.push((await listWritten()).sort())
      await shelf.forgetShelvedUsage(requestIds)
    },
  })
  expect(writtenBefore).toEqual([ids.toSorted()])
})
