// The type of an open database, which both kinds of database give; knows neither of them.
import type { Kysely } from 'kysely'
import type { RequestDays } from './request-log/request-days.ts'
import type { Schema } from './schema.ts'

export interface OpenHandle {
  sql: Kysely<Schema>
  requestDays: RequestDays
  contentDays: RequestDays
  close(): Promise<void>
}
