// Opens a pool of PostgreSQL connections under Kysely: bounded in number and time, and working again after the server
// was down.
import { Kysely, type PostgresCursor, PostgresDialect, type PostgresPoolClient, type PostgresQueryResult } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import type { Log } from '../domain/log.ts'
import type { Metrics } from '../domain/metrics.ts'
import { StartupProblem } from '../domain/startup-problem.ts'
import { countQueries } from './count-queries.ts'
import { asUnavailable, describeError, isSessionLost } from './database-errors.ts'
import type { OpenHandle } from './open-handle.ts'
import { refuseNul } from './refuse-nul.ts'
import { postgresDays } from './request-log/postgres-days.ts'
import { contentDays, rowDays } from './request-log/request-tables.ts'
import type { Schema } from './schema.ts'
import { outerQueryGuard } from './transact.ts'

export interface PostgresOptions {
  databaseUrl: string
  log: Log
  poolSize: number
  /** Null for migrations, which may take any time. */
  statementTimeoutMs: number | null
  connectTimeoutMs: number
  metrics?: Pick<Metrics, 'queryEnded'> | undefined
}

const idleInTransactionTimeoutMs = 15_000

const int8 = 20
const numeric = 1700

export async function openPostgres(options: PostgresOptions): Promise<OpenHandle> {
  const pool = await createPool(options)
  const dialect = new PostgresDialect({
    pool: { connect: () => checkOut(pool), end: () => pool.end(), options: pool.options },
  })
  const sql = new Kysely<Schema>({ dialect, plugins: [outerQueryGuard], log: countQueries(options.metrics) })
  try {
    await refuseForeignEncoding(pool)
  } catch (error) {
    await pool.end()
    if (error instanceof StartupProblem) throw error
    const words = describeError(error)
    throw new StartupProblem(`The database at ${placeOf(options.databaseUrl)} cannot be reached: ${words}.`, error)
  }
  return {
    sql,
    requestDays: postgresDays(sql, rowDays),
    contentDays: postgresDays(sql, contentDays),
    async close() {
      await sql.destroy()
      // Kysely ends the pool only if a query was ever run.
      if (!pool.ending) await pool.end()
    },
  }
}

async function createPool(options: PostgresOptions): Promise<Pool> {
  const { default: pg } = await import('pg')
  const { statementTimeoutMs, log } = options
  const limits =
    statementTimeoutMs === null
      ? {}
      : {
          statement_timeout: statementTimeoutMs,
          // The client's own timeout, for a server that does not respond at all.
          query_timeout: statementTimeoutMs + 2000,
          idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
        }
  const pool = new pg.Pool({
    connectionString: options.databaseUrl,
    max: options.poolSize,
    connectionTimeoutMillis: options.connectTimeoutMs,
    application_name: 'sallyport',
    keepAlive: true,
    types: {
      // Sums of whole numbers are numeric: the nearest number where none is exact, as for SQLite.
      getTypeParser: (oid, format) =>
        oid === int8 ? parseNumber : oid === numeric ? Number : pg.types.getTypeParser(oid, format),
    },
    ...limits,
  })
  // Without a listener a broken connection would end the process: an idle one, or one that a transaction holds between
  // two statements, for which pg-pool itself has no listener.
  pool.on('connect', client => {
    client.on('error', error => log.warn('database connection lost', { error }))
  })
  pool.on('error', () => undefined)
  return pool
}

/** One use of a connection. A broken session is not used again and does not return to the pool. */
async function checkOut(pool: Pool): Promise<PostgresPoolClient> {
  const client = await connect(pool)
  let lost: unknown = null
  /** The client's own queue of queries is deprecated. */
  let last: Promise<unknown> = Promise.resolve()
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  function query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  function query<R>(
    text: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof text !== 'string') throw new Error('cursors are not used here')
    const result = last.then(() => run<R>(text, parameters))
    last = result.catch(() => undefined)
    return result
  }
  async function run<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    refuseNul(parameters)
    if (lost !== null) throw asUnavailable(lost)
    try {
      const { command, rowCount, rows } = await client.query(text, [...parameters])
      return { command: command as PostgresQueryResult<R>['command'], rowCount: rowCount ?? 0, rows }
    } catch (error) {
      if (isSessionLost(error)) lost = error
      throw asUnavailable(error)
    }
  }
  return { query, release: destroy => client.release(destroy === true || lost !== null) }
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw asUnavailable(error)
  }
}

/** Text must be stored unchanged, emoji included. */
async function refuseForeignEncoding(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ server_encoding: string }>('show server_encoding')
  const encoding = rows[0]?.server_encoding
  if (encoding !== 'UTF8') {
    throw new StartupProblem(`The PostgreSQL database must have the encoding UTF8, but has ${encoding}.`)
  }
}

/** Whole numbers arrive as text; SQLite too rejects those beyond the exact range of a number, except in sums. */
function parseNumber(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) throw new RangeError('a number too large to be exact')
  return value
}

/** Host, port and database, without the password. */
function placeOf(databaseUrl: string): string {
  try {
    const { host, pathname } = new URL(databaseUrl)
    return `${host}${pathname}`
  } catch {
    return 'DATABASE_URL'
  }
}
