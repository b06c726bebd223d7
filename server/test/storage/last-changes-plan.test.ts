// Both databases find the last changes by the index of targets, also in a chain that makes up the whole table.
import { sql as text } from 'kysely'
import { expect, inject, test } from 'vitest'
import { findLastChanges } from '../../src/storage/audit/last-changes.ts'
import { createDatabase } from '../support/postgres.ts'
import { explain } from './explain.ts'
import { openDistributed, openMigrated } from './fixtures.ts'

const rowCount = 20_000

test.each(['sqlite', 'postgres'])('on %s', async backend => {
  const database =
    backend === 'sqlite' ? await openMigrated() : await openDistributed(await createDatabase(inject('postgresUrl')))
  const { sql } = database
  await text`
    insert into audit_entries (tenant_id, seq, at, action, target_type, target_id, outcome, entry, is_change)
    with recursive rows (n) as (select 1 union all select n + 1 from rows where n < ${text.lit(rowCount)})
    select 'tenant', n, n, 'role.put', 'role', 'role-' || (n % 500), 'done', '{"seq":' || n || '}', 1 from rows`.execute(
    sql,
  )
  if (backend === 'postgres') await text`analyze`.execute(sql)
  const targets = Array.from({ length: 200 }, (_, index) => `role-${index}`)
  const wanted = { chain: 'tenant', actions: ['role.put'], projectId: null, targets }
  const found = await findLastChanges(sql, wanted)
  expect(found.map(({ seq }) => seq).toSorted((one, other) => one - other)).toEqual([
    ...targets.slice(1).map((_, index) => rowCount - 499 + index),
    rowCount,
  ])
  const plan = await explain(database, given => findLastChanges(given, wanted))
  expect(plan).toContain('audit_entries_target')
  expect(plan).not.toMatch(/SCAN audit_entries|Seq Scan/)
})
