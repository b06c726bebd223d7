// Kysely's dialect for the embedded database: one connection, which a thread of its own uses.
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { carry, uncarryRow } from '../carried-values.ts'
import { asUnavailable } from '../database-errors.ts'
import { refuseNul } from '../refuse-nul.ts'
import type { Found } from './database-file.ts'
import type { DatabaseThread } from './database-thread.ts'
import type { Command } from './thread-main.ts'

export function threadDialect(thread: DatabaseThread): Dialect {
  return {
    createDriver: () => new ThreadDriver(new ThreadConnection(thread)),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    // Lets one use of the connection end before the next begins.
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: db => new SqliteIntrospector(db),
  }
}

class ThreadConnection implements DatabaseConnection {
  readonly #thread: DatabaseThread

  constructor(thread: DatabaseThread) {
    this.#thread = thread
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    refuseNul(parameters)
    const found = await this.call('run', sql, parameters.map(carry))
    const rows = (found?.rows ?? []).map(uncarryRow) as R[]
    const affected = found?.affected ?? null
    return affected === null ? { rows } : { rows, numAffectedRows: BigInt(affected) }
  }

  async call(...command: Command): Promise<Found | null> {
    try {
      return await this.#thread.call(...command)
    } catch (error) {
      throw asUnavailable(error)
    }
  }

  streamQuery(): never {
    throw new Error('the product streams no query')
  }
}

class ThreadDriver implements Driver {
  readonly #connection: ThreadConnection

  constructor(connection: ThreadConnection) {
    this.#connection = connection
  }

  init(): Promise<void> {
    return Promise.resolve()
  }

  acquireConnection(): Promise<ThreadConnection> {
    return Promise.resolve(this.#connection)
  }

  /** Does not wait for the thread: a transaction that could not begin fails at its first statement. */
  beginTransaction(): Promise<void> {
    void this.#connection.call('begin')
    return Promise.resolve()
  }

  async commitTransaction(): Promise<void> {
    await this.#connection.call('commit')
  }

  async rollbackTransaction(): Promise<void> {
    await this.#connection.call('rollBack')
  }

  releaseConnection(): Promise<void> {
    return Promise.resolve()
  }

  /** The thread is closed by whoever opened it. */
  destroy(): Promise<void> {
    return Promise.resolve()
  }
}
