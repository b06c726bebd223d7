// How both databases go about the listing: by an index that gives the order, whatever the filter, and never over all
// rows.
import { sql as text } from 'kysely'
import { beforeEach, describe, expect, inject, test } from 'vitest'
import { guardrailEventTypes } from '../../../src/domain/guardrails/guardrails.ts'
import {
  deleteOldGuardrailEvents,
  type GuardrailEventFilter,
  listGuardrailEvents,
} from '../../../src/storage/guardrail-events/guardrail-event-rows.ts'
import type { Database } from '../../../src/storage/open-database.ts'
import { explain } from '../../storage/explain.ts'
import { openDistributed, openMigrated } from '../../storage/fixtures.ts'
import { createDatabase } from '../../support/postgres.ts'

const [tenants, projectsOfEach] = [10, 10]
const rowCount = inject('prove') ? 1_000_000 : 20_000
const midnight = Date.UTC(2026, 4, 10)
const minuteMs = 60_000

/** One a minute, of tenants, projects and types in turn. All in one statement: a million of them would take minutes. */
async function fill({ sql, dialect }: Database): Promise<void> {
  const isPostgres = dialect === 'postgres'
  const hex = isPostgres ? text`lpad(to_hex(time), 12, '0')` : text`printf('%012x', time)`
  const digits = isPostgres ? text`lpad(to_hex(n), 12, '0')` : text`printf('%012x', n)`
  await text`
    insert into guardrail_events
      (tenant_id, id, project_id, type, direction, mode, action_taken, entity_types, entity_count, request_id, timestamp, happened_at)
    with recursive rows (n, time) as (
      select 0, cast(${midnight} as bigint)
      union all select n + 1, time + ${text.lit(minuteMs)} from rows where n + 1 < ${text.lit(rowCount)}
    )
    select 'tenant-' || (n % ${text.lit(tenants)}),
      substr(${hex}, 1, 8) || '-' || substr(${hex}, 9) || '-7000-8000-' || ${digits},
      'project-' || (n % ${text.lit(tenants)}) || '-' || (n / ${text.lit(tenants)} % ${text.lit(projectsOfEach)}),
      case n / 100 % 4 when 0 then 'pii_block' when 1 then 'pii_detection' when 2 then 'sentinel_jailbreak'
        else 'sentinel_blocklist' end,
      'input', 'enforce', 'masked', '["EMAIL_ADDRESS"]', 1, 'request-' || n, '1790000000.123', time
    from rows`.execute(sql)
  // PostgreSQL counts its rows by itself once there are some; SQLite never does.
  if (isPostgres) await text`analyze`.execute(sql)
}

const later = midnight + rowCount * minuteMs
/** With the index that SQLite takes; PostgreSQL weighs what it has counted. */
const filters: [string, Partial<GuardrailEventFilter>, string][] = [
  ['nothing', {}, 'sqlite_autoindex_guardrail_events_1'],
  ['a project', { projectId: 'project-3-4' }, 'guardrail_events_by_project'],
  ['a type', { type: guardrailEventTypes[2] }, 'guardrail_events_by_type'],
  [
    'a project and a type',
    { projectId: 'project-3-4', type: guardrailEventTypes[0] },
    'guardrail_events_by_project_and_type',
  ],
  ['times', { from: midnight + 1_000 * minuteMs, to: later - 1_000 * minuteMs }, 'sqlite_autoindex_guardrail_events_1'],
  [
    'everything',
    { projectId: 'project-3-4', type: guardrailEventTypes[0], from: midnight, to: later - minuteMs },
    'guardrail_events_by_project_and_type',
  ],
  ["another tenant's project", { projectId: 'project-4-4' }, 'guardrail_events_by_project'],
  ['a tenant without events', { tenantId: 'nobody' }, 'sqlite_autoindex_guardrail_events_1'],
]

describe.each(['sqlite', 'postgres'])('on %s', backend => {
  let database: Database

  beforeEach(async () => {
    const statementTimeoutMs = 300_000
    database =
      backend === 'sqlite'
        ? await openMigrated()
        : await openDistributed(await createDatabase(inject('postgresUrl')), { statementTimeoutMs })
    await fill(database)
  })

  test('each filter finds its page by an index, from the newest and from a cursor', async () => {
    const cursor = '019e2000-0000-7000-8000-000000000000'
    let slowestMs = 0
    for (const [what, filter, index] of filters) {
      for (const after of [null, cursor]) {
        const whole = { tenantId: 'tenant-3', projectId: null, type: null, from: null, to: null, ...filter }
        const list = (sql: Database['sql']) => listGuardrailEvents(sql, whole, { after, limit: 51 })
        const plan = await explain(database, list)
        const startedAt = performance.now()
        const rows = await list(database.sql)
        slowestMs = Math.max(slowestMs, performance.now() - startedAt)
        const isEmpty = what.includes('another') || what.includes('without')
        expect(rows.length > 0 || isEmpty || after !== null, what).toBe(true)
        expect(plan, what).toMatch(backend === 'sqlite' ? new RegExp(`INDEX ${index} `) : /Index/)
        // PostgreSQL rather sorts what it holds for a few rows.
        expect(plan, what).not.toMatch(/\bSCAN\b|Seq Scan|TEMP B-TREE/)
      }
    }
    if (inject('prove'))
      process.stdout.write(`${backend}: slowest page of ${rowCount} rows ${slowestMs.toFixed(1)} ms\n`)
    // A scan of all rows takes seconds at the full count.
    if (inject('prove')) expect(slowestMs).toBeLessThan(1_000)
  })

  test('old rows are found by their age', async () => {
    const plan = await explain(database, async sql => {
      // A transaction would hide its statements from the one who asks for them.
      const given = Object.create(sql, { transaction: { value: () => ({ execute }) } })
      const execute = (body: (trx: unknown) => unknown) => body({ withoutPlugins: () => sql })
      await deleteOldGuardrailEvents(given, midnight - 1, 500)
    })
    expect(plan).toMatch(/guardrail_events_age/)
    expect(plan).not.toMatch(/SCAN guardrail_events\b|Seq Scan on guardrail_events\b/)
  })
})
