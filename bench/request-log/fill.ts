// Fills the storage of the request log with generated rows, in the format of the database and in the order of the key:
// a file for each day in SQLite, partitions in PostgreSQL.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Kysely, sql as text } from 'kysely'
import { RowSums } from '../../server/src/storage/embedded/row-sums.ts'
import { fileStatements } from '../../server/src/storage/request-log/file-statements.ts'
import { dayOf, idsOf, type RequestDays } from '../../server/src/storage/request-log/request-days.ts'
import { requestColumns, rowDays } from '../../server/src/storage/request-log/request-tables.ts'
import { addSumsOf } from '../../server/src/storage/request-log/sums/sum-columns.ts'
import { valuesOf } from '../../server/src/storage/request-log/write-requests.ts'
import { findPostgres } from '../../server/test/support/postgres.ts'
import { dayMs, makeRows, type Plan } from './rows.ts'

type Progress = (line: string) => void

/** Before the product opens the folder. */
export function fillFiles(dataDir: string, plan: Plan, progress: Progress): void {
  const folder = join(dataDir, 'requests')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (let day = 0; day < plan.days; day++) {
    progress(`filling day ${day + 1} of ${plan.days}`)
    const db = new DatabaseSync(join(folder, `${dayOf(plan.start + day * dayMs)}.db`))
    // A journal is of no use here: what a cut run leaves is deleted.
    db.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -200000')
    for (const statement of rowDays.ofFile) db.exec(statement)
    db.exec('begin')
    for (let project = 0; project < plan.projects; project++) fillProject(db, plan, day, project)
    db.exec('commit')
    db.exec('pragma journal_mode = wal')
    db.close()
  }
}

function fillProject(db: DatabaseSync, plan: Plan, day: number, project: number): void {
  const enter = db.prepare(fileStatements.enter)
  const sums = new RowSums(fileStatements.sums)
  for (const row of makeRows(plan, day, project)) {
    const values = valuesOf(row)
    enter.run(...values)
    sums.add(values)
  }
  const add = db.prepare(fileStatements.sums.add)
  for (const parameters of sums.parameters()) add.run(...parameters)
}

export async function fillPartitions(
  sql: Kysely<unknown>,
  { requestDays, databaseUrl }: { requestDays: RequestDays; databaseUrl: string },
  plan: Plan,
  progress: Progress,
): Promise<void> {
  for (let day = 0; day < plan.days; day++) {
    progress(`filling day ${day + 1} of ${plan.days}`)
    const name = dayOf(plan.start + day * dayMs)
    await requestDays.create(name)
    await copyRows(databaseUrl, plan, day)
    const [from, to] = idsOf(name)
    for (const projectId of plan.projectIds) {
      const rows = `select * from requests where project_id = '${projectId}' and id >= '${from}' and id < '${to}'`
      await text.raw(addSumsOf(rows)).execute(sql)
    }
    // As autovacuum does in time.
    for (const table of rowDays.tables) {
      await text.raw(`vacuum (analyze) ${table}_${name.replaceAll('-', '')}`).execute(sql)
    }
  }
}

const rowsOfWrite = 1_000

async function copyRows(databaseUrl: string, plan: Plan, day: number): Promise<void> {
  const program = join(dirname(findPostgres() ?? ''), 'psql')
  const copy = `copy requests (${Object.keys(requestColumns).join(', ')}) from stdin`
  const psql = spawn(program, ['-q', '-v', 'ON_ERROR_STOP=1', '-c', copy, databaseUrl], {
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  const ended = once(psql, 'exit')
  for (let project = 0; project < plan.projects; project++) {
    let lines: string[] = []
    for (const row of makeRows(plan, day, project)) {
      lines.push(valuesOf(row).map(copied).join('\t'))
      if (lines.length < rowsOfWrite) continue
      if (!psql.stdin.write(`${lines.join('\n')}\n`)) await once(psql.stdin, 'drain')
      lines = []
    }
    if (lines.length > 0) psql.stdin.write(`${lines.join('\n')}\n`)
  }
  psql.stdin.end()
  const [code] = await ended
  if (code !== 0) throw new Error(`psql ended with ${code}`)
}

function copied(value: string | number | null): string {
  return value === null ? '\\N' : String(value).replaceAll(/[\\\t\n\r]/g, '\\$&')
}
