// Rows of the request log wait as texts in the file of their day and are entered together: readers see them at once,
// and no end of the process loses them.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { DayFileCache } from '../../../src/storage/embedded/day-files.ts'
import { fileStatements } from '../../../src/storage/request-log/file-statements.ts'
import { requestColumns, rowDays } from '../../../src/storage/request-log/request-tables.ts'
import { temporaryFolder } from '../fixtures.ts'

const day = '2026-05-01'

function openFolder(folder: string): DayFileCache {
  const files = new DayFileCache(folder, fileStatements)
  onTestFinished(() => files.close())
  const file = files.open(day)
  for (const statement of rowDays.ofFile) file.run(statement, [])
  return files
}

/** With what every row must have. */
function rowOf(id: string, project = 'p1', more: Record<string, string | number> = {}) {
  const given: Record<string, string | number> = { project_id: project, id, at: 0, status: 200, latency_ms: 5 }
  const values: typeof given = { ...given, latency_range: 1, cost_nanousd: 7, prompt_tokens: 2, ...more }
  return Object.keys(requestColumns).map(name => values[name] ?? null)
}

const keep = (files: DayFileCache, ...rows: unknown[]) =>
  files.open(day).run(fileStatements.keep, [JSON.stringify(rows)])
const idsIn = (files: DayFileCache) =>
  files
    .open(day)
    .run('select id from requests order by id', [])
    .rows.map(({ id }) => id)

/** By another connection, which enters nothing. */
function countIn(folder: string, table: string): number {
  const db = new DatabaseSync(join(folder, `${day}.db`), { readOnly: true })
  const { count } = db.prepare(`select count(*) as count from ${table}`).get() as { count: number }
  db.close()
  return count
}

test('a statement sees the rows that wait; each row and its sum are entered once', () => {
  const folder = temporaryFolder()
  const files = openFolder(folder)
  keep(files, rowOf('b'), rowOf('a'), rowOf('a'))
  keep(files, rowOf('c', 'p0'))
  expect([countIn(folder, 'waiting_rows'), countIn(folder, 'requests')]).toEqual([2, 0])
  expect(idsIn(files)).toEqual(['a', 'b', 'c'])
  expect([countIn(folder, 'waiting_rows'), countIn(folder, 'requests')]).toEqual([0, 3])
  keep(files, rowOf('b'))
  const sums = files.open(day).run('select project_id, requests from request_sums order by project_id', [])
  expect(sums.rows).toEqual([
    { project_id: 'p0', requests: 1 },
    { project_id: 'p1', requests: 2 },
  ])
})

test('a file that an earlier version began gets what it lacks before its waiting rows are entered', () => {
  const folder = temporaryFolder()
  openFolder(folder).close()
  const db = new DatabaseSync(join(folder, `${day}.db`))
  db.exec(`alter table requests drop column prompt; alter table requests drop column prompt_version;
    alter table requests drop column first_token_range;
    drop table request_prompt_sums; drop table request_first_token_sums;
    create trigger sum_requests after insert on requests begin
      update request_sums set requests = requests + 1;
    end`)
  const earlier = ['a', 'b'].map(id => rowOf(id).slice(0, -3))
  db.prepare(fileStatements.keep).run(JSON.stringify(earlier))
  db.close()
  const files = openFolder(folder)
  keep(files, rowOf('0', 'p1', { prompt: 'tutor', prompt_version: 3, first_token_range: 9 }), rowOf('c'))
  const rows = files.open(day).run('select id, prompt, prompt_version from requests order by id', []).rows
  expect(rows.map(row => Object.values(row))).toEqual([
    ['0', 'tutor', 3],
    ['a', null, null],
    ['b', null, null],
    ['c', null, null],
  ])
  const sumsIn = (table: string) => files.open(day).run(`select requests from ${table}`, []).rows
  expect(sumsIn('request_sums')).toEqual([{ requests: 4 }])
  expect(sumsIn('request_prompt_sums')).toEqual([{ requests: 1 }])
  expect(sumsIn('request_first_token_sums')).toEqual([{ requests: 1 }])
})

test('rows are entered within a second or two, and at once when many wait', async () => {
  const folder = temporaryFolder()
  const files = openFolder(folder)
  keep(files, rowOf('a'))
  await expect.poll(() => countIn(folder, 'requests')).toBe(1)
  keep(files, ...Array.from({ length: 8_000 }, (_, at) => rowOf(`b${at}`)))
  expect(countIn(folder, 'requests')).toBe(8_001)
})

test('what a killed process leaves is entered by the next one', () => {
  const folder = temporaryFolder()
  keep(openFolder(folder), rowOf('a'))
  const next = new DayFileCache(folder, fileStatements)
  onTestFinished(() => next.close())
  expect(idsIn(next)).toEqual(['a'])
})

test('a file that is closed has no rows that wait', () => {
  const folder = temporaryFolder()
  const files = openFolder(folder)
  keep(files, rowOf('a'))
  files.close()
  expect([countIn(folder, 'waiting_rows'), countIn(folder, 'requests')]).toEqual([0, 1])
})

test('a transaction sees the rows that wait, and its end loses none', async () => {
  const folder = temporaryFolder()
  const files = openFolder(folder)
  keep(files, rowOf('a'))
  files.open(day).begin()
  expect(idsIn(files)).toEqual(['a'])
  keep(files, rowOf('b'))
  await sleep(1_200)
  files.open(day).rollBack()
  // The time for the rows before was up during the transaction.
  keep(files, rowOf('c'))
  await expect.poll(() => countIn(folder, 'requests')).toBe(2)
  expect(idsIn(files)).toEqual(['a', 'c'])
})

test('rows that cannot be entered keep no other out, and are reported with the next batch', () => {
  const folder = temporaryFolder()
  const files = openFolder(folder)
  const broken = [[null], rowOf('b', 'p1', { latency_ms: 1.5 }), rowOf('c', 'p1', { at: 'noon' }), [...rowOf('d'), 1]]
  keep(files, ...broken, rowOf('a'), rowOf('e', 'p1', { cost_nanousd: 1e19 }))
  keep(files, rowOf('g'))
  expect(idsIn(files)).toEqual(['a', 'g'])
  expect(countIn(folder, 'waiting_rows')).toBe(0)
  expect(files.open(day).run('select requests from request_sums', []).rows).toEqual([{ requests: 2 }])
  expect(keep(files, rowOf('h')).rows).toEqual([{ dropped: 5 }])
  expect(keep(files, rowOf('i')).rows).toEqual([])
})

test('rows wait while the file cannot take any, and a reader gets the error', () => {
  const folder = temporaryFolder()
  const files = openFolder(folder)
  const other = new DatabaseSync(join(folder, `${day}.db`))
  onTestFinished(() => other.close())
  keep(files, rowOf('a'))
  other.exec('alter table requests rename to hidden')
  expect(() => idsIn(files)).toThrow(/no such table/)
  expect(countIn(folder, 'waiting_rows')).toBe(1)
  other.exec('alter table hidden rename to requests')
  expect(idsIn(files)).toEqual(['a'])
})

test('a day that is dropped leaves no file', () => {
  const folder = temporaryFolder()
  const files = openFolder(folder)
  keep(files, rowOf('a'))
  files.drop(day)
  expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([])
})
