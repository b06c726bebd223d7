// Kysely's dialect for the embedded database of another process of this machine, reached over a link. The process at
// the other end runs serve-database.ts.
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
import type { Link } from '../../sockets/link.ts'
import { carry, uncarryRow } from '../carried-values.ts'
import { refuseNul } from '../refuse-nul.ts'
import type { CarriedResult } from './serve-database.ts'

export function remoteDialect(link: Link): Dialect {
  return {
    createDriver: () => new RemoteDriver(link),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new ConcurrentAdapter(),
    createIntrospector: db => new SqliteIntrospector(db),
  }
}

/** The owner of the database orders the statements; waiting here too would only cost round trips. */
class ConcurrentAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class RemoteConnection implements DatabaseConnection {
  readonly #link: Link
  /** Null outside a transaction. */
  transaction: number | null = null

  constructor(link: Link) {
    this.#link = link
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    // Here, since an error's own message does not cross the link.
    refuseNul(parameters)
    const args = [this.transaction, sql, parameters.map(carry)]
    const { rows, affected } = (await this.#link.call('query', args)) as CarriedResult
    const found = rows.map(uncarryRow) as R[]
    return affected === null ? { rows: found } : { rows: found, numAffectedRows: BigInt(affected) }
  }

  async begin(): Promise<void> {
    this.transaction = (await this.#link.call('begin', [])) as number
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    const number = this.transaction
    this.transaction = null
    if (number !== null) await this.#link.call('endTransaction', [number, how])
  }

  streamQuery(): never {
    throw new Error('the product streams no query')
  }
}

class RemoteDriver implements Driver {
  readonly #link: Link

  constructor(link: Link) {
    this.#link = link
  }

  init(): Promise<void> {
    return Promise.resolve()
  }

  async acquireConnection(): Promise<RemoteConnection> {
    return new RemoteConnection(this.#link)
  }

  beginTransaction(connection: RemoteConnection): Promise<void> {
    return connection.begin()
  }

  commitTransaction(connection: RemoteConnection): Promise<void> {
    return connection.end('commit')
  }

  rollbackTransaction(connection: RemoteConnection): Promise<void> {
    return connection.end('rollback')
  }

  releaseConnection(): Promise<void> {
    return Promise.resolve()
  }

  destroy(): Promise<void> {
    return Promise.resolve()
  }
}
