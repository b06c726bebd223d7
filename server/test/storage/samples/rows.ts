// The type of the sample rows, and values that several of them have.
import type { Selectable } from 'kysely'
import type { Schema } from '../../../src/storage/schema.ts'

/** Full rows have a value everywhere, sparse ones null, 0 or ''. */
export type Rows = { [Table in keyof Schema]: [full: Selectable<Schema[Table]>, sparse: Selectable<Schema[Table]>] }

export const long = 'ä€😀'.repeat(50_000)
export const time = 1_790_000_000_000
