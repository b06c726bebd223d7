// The days of the request log in SQLite: one file a day, in the folder `requests` beside the database. The process that
// owns the database uses them; the other processes of the machine reach them over their link.

import { Kysely, type SqliteAdapter, sql as text } from 'kysely'
import { type CarriedConnection, carriedDialect } from '../carried/carried-dialect.ts'
import type { RequestDays } from './request-days.ts'
import type { DayKind, RequestTables } from './request-tables.ts'

const dayForm = /^\d{4}-\d{2}-\d{2}$/

/** By their names without an extension. */
export interface DayFiles {
  list(): Promise<readonly string[]>
  connect(name: string): CarriedConnection
  drop(name: string): Promise<void>
  adapter(): SqliteAdapter
}

export function fileDays(files: DayFiles, { prefix, ofFile }: DayKind): RequestDays {
  const known = new Map<string, Kysely<RequestTables>>()
  function of(day: string): Kysely<RequestTables> {
    const found = known.get(day)
    if (found !== undefined) return found
    const dialect = carriedDialect(() => files.connect(prefix + day), files.adapter())
    const sql = new Kysely<RequestTables>({ dialect })
    known.set(day, sql)
    return sql
  }
  return {
    dialect: 'sqlite',
    async list() {
      const names = (await files.list()).filter(name => name.startsWith(prefix))
      const days = names.map(name => name.slice(prefix.length)).filter(day => dayForm.test(day))
      return days.sort().reverse()
    },
    async create(day) {
      const sql = of(day)
      for (const statement of ofFile) await text.raw(statement).execute(sql)
    },
    of,
    async drop(day) {
      known.delete(day)
      await files.drop(prefix + day)
    },
    async close() {
      for (const sql of known.values()) {
        // Waits for its turn on the connection, so that no transaction is cut off.
        await sql.connection().execute(async () => undefined)
        await sql.destroy()
      }
    },
  }
}
