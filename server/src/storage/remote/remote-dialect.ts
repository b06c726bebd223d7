// Kysely's dialect for the embedded database of another process of this machine, reached over a link. The process at
// the other end runs serve-database.ts.
import { type Dialect, SqliteAdapter } from 'kysely'
import type { Link } from '../../sockets/link.ts'
import { CarriedConnection, carriedDialect } from '../carried/carried-dialect.ts'
import type { CarriedResult } from '../carried/carried-result.ts'
import type { DayFiles } from '../request-log/file-days.ts'

export function remoteDialect(link: Link): Dialect {
  return carriedDialect(() => new RemoteConnection(link, null), new ConcurrentAdapter())
}

/** The days of the request log. */
export function remoteDayFiles(link: Link): DayFiles {
  return {
    list: async () => (await link.call('listDays', [])) as readonly string[],
    connect: day => new RemoteConnection(link, day),
    async drop(day) {
      await link.call('dropDay', [day])
    },
    adapter: () => new ConcurrentAdapter(),
  }
}

/** The owner of the database orders the statements; waiting here too would only cost round trips. */
class ConcurrentAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class RemoteConnection extends CarriedConnection {
  readonly #link: Link
  readonly #day: string | null
  /** Null outside a transaction. */
  #transaction: number | null = null

  /** `day`: of the request log, in place of the database. */
  constructor(link: Link, day: string | null) {
    super()
    this.#link = link
    this.#day = day
  }

  async begin(): Promise<void> {
    this.#transaction = (await this.#link.call('begin', [this.#day])) as number
  }

  async end(how: 'commit' | 'rollBack'): Promise<void> {
    const number = this.#transaction
    this.#transaction = null
    if (number !== null) await this.#link.call(how, [number])
  }

  protected async run(sql: string, carried: readonly unknown[]): Promise<CarriedResult> {
    return (await this.#link.call('query', [this.#transaction, sql, carried, this.#day])) as CarriedResult
  }
}
