// Kysely's dialect for the embedded database of another process of this machine, reached over a link. The process at
// the other end runs serve-database.ts.
import { type Dialect, SqliteAdapter } from 'kysely'
import type { Link } from '../../sockets/link.ts'
import { CarriedConnection, carriedDialect } from '../carried/carried-dialect.ts'
import type { CarriedResult } from '../carried/carried-result.ts'

export function remoteDialect(link: Link): Dialect {
  return carriedDialect(() => new RemoteConnection(link), new ConcurrentAdapter())
}

/** The owner of the database orders the statements; waiting here too would only cost round trips. */
class ConcurrentAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class RemoteConnection extends CarriedConnection {
  readonly #link: Link
  /** Null outside a transaction. */
  #transaction: number | null = null

  constructor(link: Link) {
    super()
    this.#link = link
  }

  async begin(): Promise<void> {
    this.#transaction = (await this.#link.call('begin', [])) as number
  }

  async end(how: 'commit' | 'rollBack'): Promise<void> {
    const number = this.#transaction
    this.#transaction = null
    if (number !== null) await this.#link.call(how, [number])
  }

  protected async run(sql: string, carried: readonly unknown[]): Promise<CarriedResult> {
    return (await this.#link.call('query', [this.#transaction, sql, carried])) as CarriedResult
  }
}
