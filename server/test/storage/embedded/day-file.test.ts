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
import { readCounts } from '../../../src/storage/request-log/sums/counted-ranges.ts'
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
/** A text of counts by range. */
function countsOf(text: unknown): [range: number, count: number][] {
  const counts = new Map<number, number>()
  readCounts(text as string | null, (range, count) => counts.set(range, (counts.get(range) ?? 0) + count))
  return [...counts].filter(([, count]) => count !== 0).sort(([a], [b]) => a - b)
}

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
  const sums = files.open(day).run('select project_id, requests from request_hours order by project_id', [])
  expect(sums.rows).toEqual([
    { project_id: 'p0', requests: 1 },
    { project_id: 'p1', requests: 2 },
  ])
})

/** As an earlier version made them. */
function createEarlierSums(db: DatabaseSync, name: string, more: readonly string[]): void {
  const texts = ['tier', 'endpoint', 'model_asked', 'model', 'provider', 'error_code']
  const columns = ['project_id', 'id', ...texts].map(column => `${column} text not null default ''`)
  db.exec(`create table ${name} (${columns.join(', ')}, at int not null, status int not null, requests int not null,
    ${more.join(', ')}) strict`)
}

const earlierNumbers = ['prompt_tokens', 'cached_tokens', 'completion_tokens', 'reasoning_tokens', 'cost_nanousd']
const latencyColumns = ['latency_range', ...earlierNumbers].map(name => `${name} int not null default 1`)

test('a file that an earlier version began gets what it lacks before its waiting rows are entered', () => {
  const folder = temporaryFolder()
  openFolder(folder).close()
  const db = new DatabaseSync(join(folder, `${day}.db`))
  db.exec(`alter table requests drop column prompt; alter table requests drop column prompt_version;
    alter table requests drop column first_token_range; drop table request_hours; drop table sqlite_stat1;
    create trigger sum_requests after insert on requests begin select raise(abort, 'once'); end`)
  createEarlierSums(db, 'request_sums', latencyColumns)
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
  const sums = files.open(day).run('select prompt, latencies, first_tokens from request_hours', []).rows
  const shown = sums.map(row => [row['prompt'], countsOf(row['latencies']), countsOf(row['first_tokens'])])
  expect(shown).toEqual([
    ['', [[1, 3]], []],
    ['tutor', [[1, 1]], [[9, 1]]],
  ])
})

test('the sums of an earlier version are moved, those of prompts out of those of all', () => {
  const folder = temporaryFolder()
  openFolder(folder).close()
  const db = new DatabaseSync(join(folder, `${day}.db`))
  createEarlierSums(db, 'request_sums', latencyColumns)
  createEarlierSums(db, 'request_prompt_sums', ['prompt text not null', ...latencyColumns])
  createEarlierSums(db, 'request_first_token_sums', ['prompt text not null', 'first_token_range int not null'])
  const ofKey = `'p1', '00000000-0000-', 0, 200`
  const keyColumns = 'project_id, id, at, status'
  db.exec(`
    insert into request_sums (${keyColumns}, requests, latency_range, cost_nanousd)
      values (${ofKey}, 5, 40, 500), (${ofKey}, 2, 41, 80);
    insert into request_prompt_sums (${keyColumns}, requests, latency_range, cost_nanousd, prompt)
      values (${ofKey}, 2, 40, 150, 'tutor'), (${ofKey}, 2, 41, 80, 'tutor');
    insert into request_first_token_sums (${keyColumns}, requests, first_token_range, prompt)
      values (${ofKey}, 1, 7, 'tutor'), (${ofKey}, 2, 6, '')`)
  db.close()
  const files = openFolder(folder)
  const moved = 'select prompt, requests, cost_nanousd, latencies, first_tokens from request_hours order by prompt'
  const rows = files
    .open(day)
    .run(moved, [])
    .rows.map(row => Object.values(row))
  const shown = rows.map(([prompt, requests, cost, ...texts]) => [prompt, requests, cost, ...texts.map(countsOf)])
  expect(shown).toEqual([
    ['', 3, 350, [[40, 3]], [[6, 2]]],
    [
      'tutor',
      4,
      230,
      [
        [40, 2],
        [41, 2],
      ],
      [[7, 1]],
    ],
  ])
  const names = "select name from sqlite_master where type = 'table' and name like 'request%' order by name"
  expect(files.open(day).run(names, []).rows).toEqual([{ name: 'request_hours' }, { name: 'requests' }])
})

test('a text of counts stays short, however many batches it has', () => {
  const folder = temporaryFolder()
  const files = openFolder(folder)
  const counts = new Map<number, number>()
  for (let batch = 0; batch < 40; batch++) {
    const rows = Array.from({ length: 50 }, (_, at) => {
      const range = (batch + at * at) % 97
      counts.set(range, (counts.get(range) ?? 0) + 1)
      return rowOf(`${batch}-${at}`, 'p1', { latency_range: range, first_token_range: 999 })
    })
    keep(files, ...rows)
    idsIn(files)
  }
  const [sum] = files.open(day).run('select latencies, first_tokens from request_hours', []).rows
  expect(countsOf(sum?.['latencies'])).toEqual([...counts].sort(([a], [b]) => a - b))
  expect(countsOf(sum?.['first_tokens'])).toEqual([[999, 2_000]])
  expect(String(sum?.['latencies']).length).toBeLessThan(2_000)
})

test.each([
  ['uid', 'requests_by_uid'],
  ['thread_id', 'requests_by_thread'],
  ['error_code', 'requests_by_error'],
  ['agent_session_id', 'requests_by_agent_session'],
])('rows by %s are found by the index', (column, index) => {
  const folder = temporaryFolder()
  const plan = `explain query plan select * from requests where project_id = ? and id >= ? and id < ? and ${column} = ?
    order by id desc limit 50`
  const planOf = (files: DayFileCache) => files.open(day).run(plan, ['p1', '0', 'f', 'x']).rows[0]?.['detail']
  const files = openFolder(folder)
  expect(planOf(files)).toContain(index)
  files.close()
  expect(planOf(openFolder(folder))).toContain(index)
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
  expect(files.open(day).run('select requests from request_hours', []).rows).toEqual([{ requests: 2 }])
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
