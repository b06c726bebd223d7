// The types of the columns of the request log in both databases.

import type { Dialect } from '../migrate.ts'

export type ColumnType = 'text' | 'int' | 'float'

export const typesIn: Record<Dialect, Record<ColumnType, string>> = {
  sqlite: { text: 'text', int: 'integer', float: 'real' },
  postgres: { text: 'text collate "C"', int: 'bigint', float: 'double precision' },
}
