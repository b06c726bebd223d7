// The type of an open database, which both kinds of database give; knows neither of them.
import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

export interface OpenHandle {
  sql: Kysely<Schema>
  close(): Promise<void>
}
