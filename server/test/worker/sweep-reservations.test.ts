// A copy that is killed between admitting and settling: what it reserved is given back when its lease ends, for every
// project, at the last checkpoint.
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createProcessStore } from '../../src/kv/process/store.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../src/outbound/policy.ts'
import { sweepReservations } from '../../src/worker/sweep-reservations.ts'
import { createHandClock, createMemoryLog, demandOf, requestOf, seed } from '../kv/stores.ts'
import { openMigrated } from '../storage/fixtures.ts'

test('every project is swept once its leases have ended', async () => {
  const clock = createHandClock(Date.UTC(2026, 4, 1, 12))
  const { log, lines } = createMemoryLog()
  const { sql } = await openMigrated()
  const kv = createProcessStore({ now: clock.now, log })
  const projectIds = Array.from({ length: 1_205 }, () => randomUUID())
  const tenantId = randomUUID()
  const tenant = { id: tenantId, name: 'Tenant', plan: 'free' as const, provider_keys_revision: 0, created_at: 1 }
  await sql.insertInto('tenants').values(tenant).execute()
  for (const [index, id] of projectIds.entries()) {
    const dns = { dns_status: 'READY' as const, dns_last_error: null, dns_updated_at: null }
    const named = { id, tenant_id: tenantId, name: 'Project', slug: `amber-falcon-${index}` }
    await sql
      .insertInto('projects')
      .values({ ...named, ...dns, status: 'active', created_at: 1 })
      .execute()
  }
  await seed(kv, projectIds)
  for (const projectId of projectIds) {
    const request = requestOf({ projectId, tokens: demandOf({ prompt: 10, completion: 20 }) })
    expect((await kv.admit(request)).admitted).toBe(true)
    await kv.checkpoint(projectId, request.requestId, 12)
  }
  const outbound = createOutbound({ allow: parseOutboundAllow(undefined), log })
  const run = () => sweepReservations.run({ sql, kv, outbound, now: clock.now, log }, new AbortController().signal)
  const spent = () => Promise.all(projectIds.map(id => kv.findSpend(id, '2026-05-01')))

  clock.advance(14 * 60_000)
  await run()
  expect(new Set(await spent())).toEqual(new Set([0]))
  clock.advance(2 * 60_000)
  await run()
  await run()
  expect(new Set(await spent())).toEqual(new Set([12]))
  expect(lines.filter(({ event }) => event === 'reservations of ended replicas settled')).toHaveLength(1)
  await outbound.close()
})
