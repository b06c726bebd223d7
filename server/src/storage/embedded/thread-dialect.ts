// Kysely's dialect for the embedded database: one connection, which a thread of its own uses.
import { readdir } from 'node:fs/promises'
import { type Dialect, SqliteAdapter } from 'kysely'
import { CarriedConnection, carriedDialect } from '../carried/carried-dialect.ts'
import type { CarriedResult } from '../carried/carried-result.ts'
import { asUnavailable } from '../database-errors.ts'
import type { DayFiles } from '../request-log/file-days.ts'
import type { DatabaseThread } from './database-thread.ts'
import type { Command } from './thread-messages.ts'

export function threadDialect(thread: DatabaseThread): Dialect {
  const connection = new ThreadConnection(thread, null)
  // This adapter lets one use of the connection end before the next begins.
  return carriedDialect(() => connection, new SqliteAdapter())
}

const dayFile = /^([a-z]*-?\d{4}-\d{2}-\d{2})\.db$/

export function threadDayFiles(thread: DatabaseThread, folder: string): DayFiles {
  return {
    async list() {
      const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return []
        throw error
      })
      return names.flatMap(name => dayFile.exec(name)?.[1] ?? [])
    },
    connect: day => new ThreadConnection(thread, day),
    async drop(day) {
      await thread.call(['dropDay', day])
    },
    adapter: () => new SqliteAdapter(),
  }
}

class ThreadConnection extends CarriedConnection {
  readonly #thread: DatabaseThread
  readonly #day: string | null

  /** `day`: of the request log; null for the database. */
  constructor(thread: DatabaseThread, day: string | null) {
    super()
    this.#thread = thread
    this.#day = day
  }

  /** Does not wait for the thread: a transaction that could not begin fails at its first statement. */
  async begin(): Promise<void> {
    void this.#call(['begin', this.#day])
  }

  async end(how: 'commit' | 'rollBack'): Promise<void> {
    await this.#call([how, this.#day])
  }

  protected run(sql: string, carried: readonly unknown[]): Promise<CarriedResult> {
    return this.#call(['run', sql, carried, this.#day])
  }

  async #call(command: Command): Promise<CarriedResult> {
    try {
      return await this.#thread.call(command)
    } catch (error) {
      throw asUnavailable(error)
    }
  }
}
