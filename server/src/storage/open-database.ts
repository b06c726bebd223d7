// Opens the configured database and migrates it to this version's schema.
import { type Kysely, sql as text } from 'kysely'
import { Refusal } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'
import type { Metrics } from '../domain/metrics.ts'
import { StartupProblem } from '../domain/startup-problem.ts'
import { describeError } from './database-errors.ts'
import { openSqlite } from './embedded/open-sqlite.ts'
import { type Dialect, type Migration, migrate } from './migrate.ts'
import { allMigrations } from './migrations/all-migrations.ts'
import type { OpenHandle } from './open-handle.ts'
import { openPostgres } from './open-postgres.ts'
import type { RequestDays } from './request-log/request-days.ts'
import type { Schema } from './schema.ts'

export interface Database {
  sql: Kysely<Schema>
  /** Of the rows of requests, and of their content. */
  requestDays: RequestDays
  contentDays: RequestDays
  dialect: Dialect
  /** Resolves when the database responds; otherwise rejects with the Refusal `database_unavailable`. */
  ping(): Promise<void>
  /** Waits for running queries; may be called twice. */
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** Null for the embedded database in `dataDir`. */
  databaseUrl: string | null
  dataDir: string
  log: Log
  now: () => number
  /** Without it, nothing is counted. */
  metrics?: Pick<Metrics, 'queryEnded'>
  poolSize?: number
  statementTimeoutMs?: number
  /** How long a query waits for a connection, new or released. */
  connectTimeoutMs?: number
  migrations?: readonly Migration[]
}

/** Throws a StartupProblem if the database must not or cannot be used. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { databaseUrl } = options
  if (databaseUrl === null) return openEmbedded(options)
  await migratePostgres(databaseUrl, options)
  const { log, metrics, poolSize = 10, statementTimeoutMs = 10_000, connectTimeoutMs = 5000 } = options
  const limits = { poolSize, statementTimeoutMs, connectTimeoutMs }
  return describe(await openPostgres({ databaseUrl, log, metrics, ...limits }), 'postgres')
}

async function openEmbedded(options: DatabaseOptions): Promise<Database> {
  const handle = await openSqlite(options)
  try {
    await bringUpToDate(handle, 'sqlite', options)
  } catch (error) {
    await handle.close()
    throw error
  }
  return describe(handle, 'sqlite')
}

/**
 * Uses a separate connection: a large step, or the wait for another replica, may exceed the timeouts of requests.
 */
async function migratePostgres(databaseUrl: string, options: DatabaseOptions): Promise<void> {
  const { log, connectTimeoutMs = 5000 } = options
  const handle = await openPostgres({ databaseUrl, log, poolSize: 1, statementTimeoutMs: null, connectTimeoutMs })
  try {
    await bringUpToDate(handle, 'postgres', options)
  } finally {
    await handle.close()
  }
}

async function bringUpToDate(handle: OpenHandle, dialect: Dialect, options: DatabaseOptions): Promise<void> {
  const { now, log, migrations = allMigrations } = options
  try {
    await migrate({ sql: handle.sql, dialect, now, log }, migrations)
  } catch (error) {
    if (error instanceof StartupProblem) throw error
    const words = describeError(error instanceof Refusal ? error.cause : error)
    throw new StartupProblem(`The database could not be migrated to this version's schema: ${words}.`, error)
  }
}

function describe(handle: OpenHandle, dialect: Dialect): Database {
  let closing: Promise<void> | null = null
  return {
    sql: handle.sql,
    requestDays: handle.requestDays,
    contentDays: handle.contentDays,
    dialect,
    async ping() {
      await text`select 1`.execute(handle.sql)
    },
    close() {
      closing ??= handle.close()
      return closing
    },
  }
}
