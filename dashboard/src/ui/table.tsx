// A table with a caption, which scrolls sideways on narrow screens, and says what to do when it is empty.
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Scrollable } from './scrollable.tsx'

export interface Column<Row> {
  title: string
  cell: (row: Row) => ReactNode
  /** For short numbers: the column may be as narrow as its title. */
  isNarrow?: true
}

interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  caption: string
  columns: Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  empty: ReactNode
}

export function Table<Row>({ caption, columns, rows, keyOf, empty }: TableProps<Row>) {
  if (rows.length === 0) return <>{empty}</>
  return (
    <Scrollable label={caption} className="overflow-x-auto rounded-md border border-line">
      <table className="w-full text-left">
        <caption className="sr-only">{caption}</caption>
        <thead className="bg-raised text-sm text-soft">
          <tr>
            {columns.map(({ title }) => (
              <th key={title} scope="col" className="px-3 py-2 font-medium whitespace-nowrap">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={keyOf(row)} className="border-t border-line align-top">
              {columns.map(({ title, cell, isNarrow }) => (
                <td key={title} className={classNames('px-3 py-2', !isNarrow && 'min-w-32')}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrollable>
  )
}
