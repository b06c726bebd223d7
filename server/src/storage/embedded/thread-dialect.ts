// Kysely's dialect for the embedded database: one connection, which a thread of its own uses.
import { type Dialect, SqliteAdapter } from 'kysely'
import { CarriedConnection, carriedDialect } from '../carried/carried-dialect.ts'
import type { CarriedResult } from '../carried/carried-result.ts'
import { asUnavailable } from '../database-errors.ts'
import type { DatabaseThread } from './database-thread.ts'
import type { Command } from './thread-messages.ts'

export function threadDialect(thread: DatabaseThread): Dialect {
  const connection = new ThreadConnection(thread)
  // This adapter lets one use of the connection end before the next begins.
  return carriedDialect(() => connection, new SqliteAdapter())
}

class ThreadConnection extends CarriedConnection {
  readonly #thread: DatabaseThread

  constructor(thread: DatabaseThread) {
    super()
    this.#thread = thread
  }

  /** Does not wait for the thread: a transaction that could not begin fails at its first statement. */
  async begin(): Promise<void> {
    void this.#call(['begin'])
  }

  async end(how: 'commit' | 'rollBack'): Promise<void> {
    await this.#call([how])
  }

  protected run(sql: string, carried: readonly unknown[]): Promise<CarriedResult> {
    return this.#call(['run', sql, carried])
  }

  async #call(command: Command): Promise<CarriedResult> {
    try {
      return await this.#thread.call(command)
    } catch (error) {
      throw asUnavailable(error)
    }
  }
}
