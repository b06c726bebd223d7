// Guardrail events live 30 days, however many there are, and what is counted of a tenant is what is there. Rows of
// usage live 35 days, and their sums for ever.
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { readGuardrailEvent } from '../../src/domain/guardrails/guardrail-event.ts'
import { addUsageRows } from '../../src/storage/add-usage-rows.ts'
import { addGuardrailEvents, guardrailEventRow } from '../../src/storage/guardrail-events/guardrail-event-rows.ts'
import { transact } from '../../src/storage/transact.ts'
import { recordTenantEvent } from '../../src/storage/webhooks/tenant-events.ts'
import { deleteOldRows } from '../../src/worker/delete-old-rows.ts'
import { backends, eventOf, openDrainStage, run } from './drain-events-stage.ts'

const dayMs = 24 * 60 * 60 * 1000

test.each(backends)('events older than 30 days go, in short transactions, on %s', async backend => {
  const stage = await openDrainStage(backend)
  const now = Date.UTC(2026, 4, 1, 12)
  const tenants = [randomUUID(), randomUUID()]
  const rowAt = (time: number, index: number) => {
    const fields = eventOf({ tenantId: tenants[index % 2] ?? '', timestamp: (time / 1000).toFixed(3) })
    return guardrailEventRow(`${time}-${index}`, time, readGuardrailEvent(fields) ?? expect.fail('malformed'))
  }
  const add = async (count: number, time: number) => {
    const rows = Array.from({ length: count }, (_none, index) => rowAt(time, index))
    for (let at = 0; at < count; at += 300) await addGuardrailEvents(stage.sql, rows.slice(at, at + 300), 1_000_000)
  }
  await add(1_200, now - 31 * dayMs)
  await add(1, now - 30 * dayMs - 1)
  await add(1, now - 30 * dayMs)
  await add(4, now - dayMs)
  const left = async () => {
    const rows = await stage.sql.selectFrom('guardrail_events').select('tenant_id').execute()
    const counts = await stage.sql.selectFrom('guardrail_event_counts').select(['tenant_id', 'held']).execute()
    for (const { tenant_id, held } of counts) expect(rows.filter(row => row.tenant_id === tenant_id)).toHaveLength(held)
    return rows.length
  }
  expect(await left()).toBe(1_206)

  const ended = AbortSignal.abort()
  await deleteOldRows.run({ ...stage, now: () => now }, ended)
  expect(await left()).toBe(1_206)
  await run(deleteOldRows.run, { ...stage, now: () => now })
  expect(await left()).toBe(5)
  await run(deleteOldRows.run, { ...stage, now: () => now + 30 * dayMs })
  expect(await left()).toBe(0)
})

test.each(backends)('rows of usage older than 35 days go, their sums stay, on %s', async backend => {
  const stage = await openDrainStage(backend)
  const now = Date.UTC(2026, 4, 1, 12)
  const add = async (count: number, time: number) => {
    const rows = Array.from({ length: count }, () => usageAt(time))
    for (let at = 0; at < count; at += 300)
      await addUsageRows({ sql: stage.sql, now: Date.now }, rows.slice(at, at + 300))
  }
  await add(1_200, now - 36 * dayMs)
  await add(1, now - 35 * dayMs - 1)
  await add(1, now - 35 * dayMs)
  await add(4, now - dayMs)
  const left = async () => (await stage.sql.selectFrom('usage_records').select('request_id').execute()).length
  const summed = async () => {
    const rows = await stage.sql.selectFrom('usage_days').select('requests').execute()
    return rows.reduce((sum, { requests }) => sum + requests, 0)
  }
  expect(await left()).toBe(1_206)

  await deleteOldRows.run({ ...stage, now: () => now }, AbortSignal.abort())
  expect(await left()).toBe(1_206)
  await run(deleteOldRows.run, { ...stage, now: () => now })
  expect(await left()).toBe(5)
  await run(deleteOldRows.run, { ...stage, now: () => now + 35 * dayMs })
  expect(await left()).toBe(0)
  expect(await summed()).toBe(1_206)
})

test.each(backends)('events of tenants and deliveries older than 30 days go, on %s', async backend => {
  const stage = await openDrainStage(backend)
  const now = Date.UTC(2026, 4, 1, 12)
  const tenantId = randomUUID()
  const webhook = { url: '', types: null, ciphertext: '', previous_until: null, created_at: 0, due_at: null }
  await stage.sql
    .insertInto('webhooks')
    .values({ ...webhook, id: 'w', tenant_id: tenantId, is_slow: 0, claim: null, claimed_until: 0 })
    .execute()
  for (const at of [now - 30 * dayMs - 1, now - 30 * dayMs, now]) {
    const event = { type: 'settings_deployed', data: { deployment: 1 } } as const
    await transact(stage.sql, trx => recordTenantEvent(trx, { tenantId, projectId: null, at }, event))
  }
  const left = async () =>
    await Promise.all(
      (['tenant_events', 'webhook_deliveries'] as const).map(
        async table => (await stage.sql.selectFrom(table).select('id').execute()).length,
      ),
    )
  expect(await left()).toEqual([3, 3])
  await run(deleteOldRows.run, { ...stage, now: () => now })
  expect(await left()).toEqual([2, 2])
  await run(deleteOldRows.run, { ...stage, now: () => now + 31 * dayMs })
  expect(await left()).toEqual([0, 0])
})

function usageAt(time: number) {
  return {
    request_id: randomUUID(),
    tenant_id: 'tenant',
    project_id: 'project',
    user_id: 'alice',
    day: new Date(time).toISOString().slice(0, 10),
    model: 'openai/gpt-4o-mini',
    provider: 'openai',
    endpoint: 'chat_completions' as const,
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 15,
    cached_tokens: 0,
    reasoning_tokens: 0,
    cost_nanousd: 1,
    is_estimated: 0 as const,
    created_at: time,
  }
}
