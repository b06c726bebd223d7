// Usage rows are found by project whether or not their entries are built, each exactly once, also while entries are
// built; they are erased together with their entries.
import { randomUUID } from 'node:crypto'
import { type Kysely, sql as text } from 'kysely'
import { describe, expect, inject, test } from 'vitest'
import { addUsageRows, type UsageRow } from '../../../src/storage/add-usage-rows.ts'
import { buildEntries } from '../../../src/storage/late-index/build.ts'
import { deleteOldest } from '../../../src/storage/late-index/erase.ts'
import { builtAfterMs, findBuiltThrough, usageIndex } from '../../../src/storage/late-index/late-index.ts'
import { eraseRows } from '../../../src/storage/owned/erase-rows.ts'
import { projectTables } from '../../../src/storage/owned/owned-tables.ts'
import { readRows } from '../../../src/storage/owned/read-rows.ts'
import type { Schema } from '../../../src/storage/schema.ts'
import { createDatabase } from '../../support/postgres.ts'
import { openDistributed, openMigrated, sampleRows } from '../fixtures.ts'

type Sql = Kysely<Schema>

const usage = projectTables.find(({ name }) => name === 'usage_records')!
const start = Date.UTC(2026, 4, 1, 12)
const minute = 60_000

/** Three projects in turn, a row each second. */
function rowsOf(count: number, from: number): UsageRow[] {
  return Array.from({ length: count }, (_none, at) => ({
    ...sampleRows.usage_records[0],
    request_id: randomUUID(),
    project_id: `p${at % 3}`,
    cost_nanousd: 1,
    created_at: from + at * 1_000,
  }))
}

const idsOf = (rows: readonly object[]) => rows.map(row => (row as { request_id: string }).request_id).sort()
const ofProject = (rows: readonly UsageRow[], id: string) => idsOf(rows.filter(row => row.project_id === id))

async function exported(sql: Sql, id: string, meanwhile: () => Promise<unknown> = async () => undefined) {
  const found: string[] = []
  for await (const rows of readRows(sql, usage, id)) {
    expect(rows.length).toBeGreaterThan(0)
    found.push(...idsOf(rows))
    await meanwhile()
  }
  return found.sort()
}

const entriesOf = async (sql: Sql) => idsOf(await sql.selectFrom('usage_records_by_project').selectAll().execute())

async function build(sql: Sql, upTo: number, limit = 10_000): Promise<number> {
  for (let pages = 1; ; pages++) if (!(await buildEntries(sql, usageIndex, upTo, limit))) return pages
}

describe.each(['sqlite', 'postgres'])('on %s', backend => {
  const open = async () =>
    backend === 'sqlite' ? await openMigrated() : await openDistributed(await createDatabase(inject('postgresUrl')))

  test('entries are built once, in pages, of the rows up to a time', async () => {
    const { sql } = await open()
    const rows = rowsOf(100, start)
    // Rows of one millisecond are not divided between pages.
    const together = rowsOf(30, start + 50_000).map(row => ({ ...row, created_at: start + 50_000 }))
    await addUsageRows({ sql, now: () => start }, [...rows, ...together])
    expect(await entriesOf(sql)).toEqual([])
    expect(await build(sql, start + 59_000, 10)).toBeGreaterThan(5)
    const built = [...rows.slice(0, 60), ...together]
    expect(await entriesOf(sql)).toEqual(idsOf(built))
    expect(await findBuiltThrough(sql, usageIndex)).toBe(start + 59_000)
    const builders = Array.from({ length: 4 }, () => build(sql, start + 80_000, 7))
    await Promise.all(builders)
    expect(await entriesOf(sql)).toEqual(idsOf([...rows.slice(0, 81), ...together]))
    // An earlier time changes nothing.
    expect(await build(sql, start)).toBe(1)
    expect(await findBuiltThrough(sql, usageIndex)).toBe(start + 80_000)
  })

  test('a project has each of its rows once: with entries, without, and added late', async () => {
    const { sql } = await open()
    const rows = rowsOf(1_800, start)
    for (let at = 0; at < rows.length; at += 600) {
      await addUsageRows({ sql, now: () => start }, rows.slice(at, at + 600))
    }
    await build(sql, start + 1_700_000)
    const late = rowsOf(9, start + 1_000)
    await addUsageRows({ sql, now: () => start + 20 * minute }, late)
    for (const id of ['p0', 'p1', 'p2', 'none']) {
      expect(await exported(sql, id)).toEqual(ofProject([...rows, ...late], id))
    }
    // The worker goes on during the export.
    let upTo = start + 1_700_000
    const meanwhile = async () => {
      upTo += 50_000
      await build(sql, upTo)
    }
    expect(await exported(sql, 'p1', meanwhile)).toEqual(ofProject([...rows, ...late], 'p1'))
    expect(upTo).toBeGreaterThan(start + 1_700_000)
    await build(sql, start + 60 * minute)
    expect(await exported(sql, 'p1')).toEqual(ofProject([...rows, ...late], 'p1'))
  })

  test('rows that come again after their entries were built are not added again', async () => {
    const { sql } = await open()
    const rows = rowsOf(90, start)
    await addUsageRows({ sql, now: () => start }, rows)
    await build(sql, start + minute)
    const fresh = rowsOf(3, start + 2_000)
    const again = { sql, now: () => start + 30 * minute }
    await addUsageRows(again, [...rows.slice(0, 70), ...fresh, ...fresh])
    await addUsageRows(again, [...rows, ...fresh])
    const { requests } = await sql
      .selectFrom('usage_days')
      .select(text<number>`sum(requests)`.as('requests'))
      .executeTakeFirstOrThrow()
    expect(Number(requests)).toBe(93)
    expect(await exported(sql, 'p2')).toEqual(ofProject([...rows, ...fresh], 'p2'))
  })

  test('a deleted project leaves neither rows nor entries, though entries are built meanwhile', async () => {
    const { sql } = await open()
    const rows = rowsOf(3_000, start)
    for (let at = 0; at < rows.length; at += 600) {
      await addUsageRows({ sql, now: () => start }, rows.slice(at, at + 600))
    }
    await build(sql, start + 10 * minute)
    await addUsageRows({ sql, now: () => start + 30 * minute }, rowsOf(3, start))
    let upTo = start + 10 * minute
    let count = 0
    for await (const erased of eraseRows(sql, usage, 'p1', 100)) {
      count += erased
      upTo += 4 * minute
      await build(sql, upTo)
    }
    expect(count).toBe(1_001)
    for (const table of ['usage_records', 'usage_records_by_project'] as const) {
      const left = await sql.selectFrom(table).select('project_id').distinct().orderBy('project_id').execute()
      expect(left, table).toEqual([{ project_id: 'p0' }, { project_id: 'p2' }])
    }
    expect(await exported(sql, 'p2')).toHaveLength(1_001)
  })

  test('the oldest rows go with their entries, whether or not these were built', async () => {
    const { sql } = await open()
    const rows = rowsOf(60, start)
    await addUsageRows({ sql, now: () => start }, rows)
    await build(sql, start + 20_000)
    const before = start + 40_000
    let pages = 1
    while (await deleteOldest(sql, usageIndex, before, 7)) pages++
    expect(pages).toBeGreaterThan(5)
    const kept = rows.slice(40)
    expect(idsOf(await sql.selectFrom('usage_records').selectAll().execute())).toEqual(idsOf(kept))
    expect(await entriesOf(sql)).toEqual([])
    await build(sql, start + 60_000)
    expect(await entriesOf(sql)).toEqual(idsOf(kept))
  })

  test('a row gets its entry when it is added, if the worker may have passed it', async () => {
    const { sql } = await open()
    const now = start + 60 * minute
    const ages = [0, 4 * minute, 6 * minute, builtAfterMs, 40 * minute]
    const rows = ages.map(age => ({ ...rowsOf(1, now - age)[0]! }))
    await build(sql, now - builtAfterMs)
    await addUsageRows({ sql, now: () => now }, rows)
    expect(await entriesOf(sql)).toEqual(idsOf(rows.slice(2)))
    expect(await exported(sql, 'p0')).toEqual(idsOf(rows))
    await build(sql, now)
    expect(await entriesOf(sql)).toEqual(idsOf(rows))
  })
})

test('neither an export nor an erasure reads the whole table', async () => {
  const { sql } = await openMigrated()
  const explain = async (statement: string) => {
    const { rows } = await text.raw<{ detail: string }>(`explain query plan ${statement}`).execute(sql)
    return rows.map(({ detail }) => detail).join('\n')
  }
  const within = 'created_at > 1 and created_at <= 2'
  for (const statement of [
    `select * from usage_records where ${within} and project_id = 'p' order by created_at, request_id`,
    `select * from usage_records where request_id in ('a', 'b') and project_id = 'p' order by request_id`,
    `delete from usage_records where ${within} and project_id = 'p'`,
    `delete from usage_records_by_project where (project_id, request_id) in
      (select project_id, request_id from usage_records where ${within} and project_id = 'p')`,
  ]) {
    expect(await explain(statement), statement).not.toMatch(/\bSCAN\b/)
  }
})
