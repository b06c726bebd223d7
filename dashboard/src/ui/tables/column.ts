// One column of a table: what its cells show, and the value behind it.
import type { ReactNode } from 'react'

export type Value = string | number | null

export interface Column<Row> {
  title: string
  cell: (row: Row) => ReactNode
  /** By what the rows can be ordered, and what a file has in this column. */
  value?: (row: Row) => Value
  /** The column may be as narrow as its title. */
  isNarrow?: true
  /** Left out where each row is a card: the page of the row has it. */
  isMinor?: true
  /** On the dense card of a phone, the value says what it is. */
  needsNoTitle?: true
  /** Figures to be compared down the column. */
  isNumber?: true
}
