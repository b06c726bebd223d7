// Kysely's dialect for a SQLite database in another thread or another process: statements and rows travel as JSON.
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  type SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { refuseNul } from '../refuse-nul.ts'
import type { CarriedResult } from './carried-result.ts'
import { carry, uncarryRow } from './carried-values.ts'

/** `connect` is called for each use of the database; the adapter says whether several may be in use at once. */
export function carriedDialect(connect: () => CarriedConnection, adapter: SqliteAdapter): Dialect {
  return {
    createDriver: () => new CarriedDriver(connect),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => adapter,
    createIntrospector: db => new SqliteIntrospector(db),
  }
}

export abstract class CarriedConnection implements DatabaseConnection {
  protected abstract run(sql: string, carried: readonly unknown[]): Promise<CarriedResult>
  abstract begin(): Promise<void>
  abstract end(how: 'commit' | 'rollBack'): Promise<void>

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    // Here, since an error loses its class or its message on the way.
    refuseNul(parameters)
    const { rows, affected } = await this.run(sql, parameters.map(carry))
    const found = rows.map(uncarryRow) as R[]
    return affected === null ? { rows: found } : { rows: found, numAffectedRows: BigInt(affected) }
  }

  streamQuery(): never {
    throw new Error('the product streams no query')
  }
}

class CarriedDriver implements Driver {
  readonly #connect: () => CarriedConnection

  constructor(connect: () => CarriedConnection) {
    this.#connect = connect
  }

  async acquireConnection(): Promise<CarriedConnection> {
    return this.#connect()
  }

  beginTransaction(connection: CarriedConnection): Promise<void> {
    return connection.begin()
  }

  commitTransaction(connection: CarriedConnection): Promise<void> {
    return connection.end('commit')
  }

  rollbackTransaction(connection: CarriedConnection): Promise<void> {
    return connection.end('rollBack')
  }

  init(): Promise<void> {
    return Promise.resolve()
  }

  releaseConnection(): Promise<void> {
    return Promise.resolve()
  }

  /** Does not close the thread or the link: `close` of the database does. */
  destroy(): Promise<void> {
    return Promise.resolve()
  }
}
