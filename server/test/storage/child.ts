// A process of its own that uses a database, for tests that start several or kill one. One command each; says what it
// did on stdout, a line at a time.
import { Kysely, sql as text } from 'kysely'
import { Refusal } from '../../src/domain/errors.ts'
import type { Log } from '../../src/domain/log.ts'
import { StartupProblem } from '../../src/domain/startup-problem.ts'
import { DatabaseThread } from '../../src/storage/embedded/database-thread.ts'
import { threadDialect } from '../../src/storage/embedded/thread-dialect.ts'
import { type Migration, migrate } from '../../src/storage/migrate.ts'
import { type Database, openDatabase } from '../../src/storage/open-database.ts'
import { fileStatements } from '../../src/storage/request-log/file-statements.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { transact } from '../../src/storage/transact.ts'

const [command = '', place = ''] = process.argv.slice(2)

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

const ignore = (): void => undefined
const log: Log = {
  debug: ignore,
  warn: ignore,
  error: ignore,
  info: (event, fields) => say(`${event} ${fields?.revision}`),
}

function open(migrations?: readonly Migration[]): Promise<Database> {
  const isUrl = place.startsWith('postgres:')
  const where = { databaseUrl: isUrl ? place : null, dataDir: place }
  return openDatabase({ ...where, log, now: Date.now, ...(migrations ? { migrations } : {}) })
}

/** Many small steps, each of several statements that take a while, so that a kill falls into the middle of one. */
export function slowMigrations(): Migration[] {
  return Array.from({ length: 12 }, (_, index) => {
    const number = String(index + 1).padStart(4, '0')
    const table = `step_${number}`
    const fill = `insert into ${table} (n) with recursive numbers (n) as (
        select 1 union all select n + 1 from numbers where n < 15000) select n from numbers`
    const statements = [
      `create table ${table} (n INT64 not null)`,
      fill,
      `create unique index ${table}_n on ${table} (n)`,
    ]
    return { name: `${number}-slow`, statements }
  })
}

/** One row here and one there, so that half a transaction would show. */
async function writeBoth(sql: Kysely<Schema>, name: string, index: number): Promise<void> {
  await transact(sql, async trx => {
    await trx.insertInto('revisions').values({ name, revision: index }).execute()
    await trx
      .insertInto('leases')
      .values({ name, holder: 'x'.repeat(500), expires_at: index })
      .execute()
  })
}

const commands: Record<string, () => Promise<void>> = {
  /** Opens, says so, and stays until it is ended. */
  async hold() {
    await open()
    say('open')
    setInterval(() => undefined, 1000)
  },

  /** Asks for more than the memory of the database's thread; the main thread would wait without end. */
  async exhaust() {
    const { sql } = await open()
    say('open')
    setInterval(() => undefined, 1000)
    await text`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 400)
      select hex(zeroblob(1000000)) from numbers`.execute(sql)
    say('read')
  },

  async migrate() {
    const database = await open()
    await database.close()
    say('migrated')
  },

  async 'migrate-slowly'() {
    const database = await open(slowMigrations())
    await database.close()
    say('migrated')
  },

  /** Without the folder's lock, which lets only one process come this far. */
  async 'migrate-unlocked'() {
    const folder = { file: place, daysFolder: `${place}-days`, statements: fileStatements }
    const thread = await DatabaseThread.open({ ...folder, isSuspect: false })
    const sql = new Kysely<Schema>({ dialect: threadDialect(thread) })
    await migrate({ sql, dialect: 'sqlite', now: Date.now, log }, slowMigrations())
    await sql.destroy()
    await thread.close()
    say('migrated')
  },

  /** Writes rows as fast as it can, without end or so many, and acknowledges each once its commit has returned. */
  async write() {
    const database = await open()
    const { sql } = database
    const attempts = Number(process.argv[4] ?? Number.POSITIVE_INFINITY)
    const start = Date.now()
    say('open')
    for (let index = 0; index < attempts; index++) {
      const name = `${start}-${index}`
      try {
        await writeBoth(sql, name, index)
        say(name)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        say(`failed: ${error.code}`)
      }
    }
    await database.close()
  },

  /** A known number of commits, for counting what they cost. */
  async commit() {
    const database = await open()
    const count = Number(process.argv[4])
    for (let index = 0; index < count; index++) {
      await database.sql
        .insertInto('revisions')
        .values({ name: `${index}`, revision: index })
        .execute()
    }
    say(`committed ${count}`)
    await database.close()
  },
}

if (import.meta.main) {
  try {
    await commands[command]?.()
  } catch (error) {
    if (!(error instanceof StartupProblem || error instanceof Refusal)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}
