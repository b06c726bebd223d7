// Jobs that go through many rows, in the embedded mode: SQLite answers within the turn of the loop that asks, and
// requests are served between the pages all the same.
import { sql as text } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { createProcessStore } from '../../src/kv/process/store.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../src/outbound/policy.ts'
import { drainEvents } from '../../src/worker/drain-events.ts'
import { sweepReservations } from '../../src/worker/sweep-reservations.ts'
import { syncStores } from '../../src/worker/sync-stores.ts'
import { createMemoryLog } from '../kv/stores.ts'
import { openMigrated } from '../storage/fixtures.ts'
import { eventOf } from './drain-events-stage.ts'

const count = 1_200

async function openWorld() {
  const { sql } = await openMigrated()
  const { log } = createMemoryLog()
  const kv = createProcessStore({ now: Date.now, log })
  const outbound = createOutbound({ allow: parseOutboundAllow(undefined), log })
  onTestFinished(async () => {
    await Promise.all([outbound.close(), kv.close()])
  })
  const tenant = { id: 't', name: 'Tenant', plan: 'free' as const, provider_keys_revision: 0, created_at: 1 }
  await sql.insertInto('tenants').values(tenant).execute()
  await text`
    insert into projects (id, tenant_id, name, slug, status, dns_status, created_at)
    with recursive rows (n) as (select 1 union all select n + 1 from rows where n < ${count})
    select 'p' || n, 't', 'Project', 's' || n, 'active', 'READY', 1 from rows`.execute(sql)
  await text`insert into live_configs (project_id, revision, body, updated_at) select id, 1, '{}', 1 from projects`.execute(
    sql,
  )
  for (let index = 0; index < count; index++) await kv.emitEvent(`t${index}`, eventOf(), 5)
  return { sql, kv, outbound, now: Date.now, log }
}

test.each([
  { job: syncStores(15_000), minTurns: count / 200 },
  { job: sweepReservations, minTurns: 1 },
  { job: drainEvents, minTurns: Math.floor(count / 250) },
])('$job.name', async ({ job, minTurns: leastTurns }) => {
  const world = await openWorld()
  let turns = 0
  let isOver = false
  const turn = () => {
    if (isOver) return
    turns += 1
    setImmediate(turn)
  }
  setImmediate(turn)
  await job.run(world, new AbortController().signal)
  isOver = true
  expect(turns).toBeGreaterThanOrEqual(leastTurns)
  if (job === drainEvents) expect(await world.kv.claimEvents('worker', 1, 0)).toEqual([])
})
