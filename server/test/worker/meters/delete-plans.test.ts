// Both databases find the events of a meter that are deleted by the index, and delete them by their whole key.
import { sql as text } from 'kysely'
import { expect, inject, test } from 'vitest'
import { deleteAllEvents, deleteSentEvents, dropOldEvents } from '../../../src/storage/meters/add-events.ts'
import { explain } from '../../storage/explain.ts'
import { openDistributed, openMigrated } from '../../storage/fixtures.ts'
import { createDatabase } from '../../support/postgres.ts'

const rowCount = 20_000
const meter = { tenantId: 'tenant', meterId: 'meter-1' }

test.each(['sqlite', 'postgres'])('on %s', async backend => {
  const database =
    backend === 'sqlite' ? await openMigrated() : await openDistributed(await createDatabase(inject('postgresUrl')))
  const { sql } = database
  await text`
    insert into meter_events (tenant_id, meter_id, request_id, state, attempts, due_at, created_at)
    with recursive rows (n) as (select 1 union all select n + 1 from rows where n < ${text.lit(rowCount)})
    select 'tenant', 'meter-' || (n % 4), 'request-' || n, 'waiting', 0, n, n from rows`.execute(sql)
  await text`insert into late_indexes (name, built_through) values ('meter_events', ${rowCount})
    on conflict (name) do update set built_through = ${rowCount}`.execute(sql)
  if (backend === 'postgres') await text`analyze`.execute(sql)
  const runs: ((given: typeof sql) => Promise<number>)[] = [
    given => deleteSentEvents(given, meter, 10),
    given => dropOldEvents(given, meter, 500, 10),
    given => deleteAllEvents(given, meter, 10),
  ]
  for (const run of runs) {
    const plan = await explain(database, run)
    expect(plan).toContain('meter_events_due')
    expect(plan).toMatch(/meter_events_pkey|tenant_id=\? AND meter_id=\? AND request_id=\?/)
    expect(plan).not.toMatch(/SCAN meter_events|Seq Scan on meter_events/)
  }
})
