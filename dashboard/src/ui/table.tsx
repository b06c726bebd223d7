// A table with a caption: rows of cards on a phone, scrolled sideways where it is too wide, and it says what to do when
// it is empty.
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Scrollable } from './scrollable.tsx'

export interface Column<Row> {
  title: string
  cell: (row: Row) => ReactNode
  /** The column may be as narrow as its title. */
  isNarrow?: true
  /** Figures to be compared down the column. */
  isNumber?: true
}

interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  caption: string
  columns: Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  empty: ReactNode
}

const rowClass = classNames(
  'border-t border-line align-top hover:bg-side focus-within:bg-side',
  'max-sm:mb-3 max-sm:flex max-sm:flex-col max-sm:rounded-lg max-sm:border max-sm:py-2',
)

function cellClass({ isNarrow, isNumber }: Pick<Column<never>, 'isNarrow' | 'isNumber'>): string {
  return classNames(
    'px-3 py-2',
    // On a phone, the title stands before the value.
    'max-sm:grid max-sm:grid-cols-[7rem_minmax(0,1fr)] max-sm:gap-3 max-sm:py-1 max-sm:before:text-xs/5 max-sm:before:text-soft max-sm:before:content-[attr(data-title)]',
    isNumber && 'whitespace-nowrap sm:text-right',
    !isNarrow && !isNumber && 'sm:min-w-28',
  )
}

export function Table<Row>({ caption, columns, rows, keyOf, empty }: TableProps<Row>) {
  if (rows.length === 0) return <>{empty}</>
  return (
    <Scrollable label={caption} className="overflow-x-auto rounded-lg border border-line max-sm:border-0">
      <table className="w-full text-left text-sm">
        <caption className="sr-only">{caption}</caption>
        <thead className="text-xs text-soft max-sm:sr-only">
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th
                key={title}
                scope="col"
                className={classNames('bg-side px-3 py-2 font-medium whitespace-nowrap', isNumber && 'text-right')}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={keyOf(row)} className={rowClass}>
              {columns.map(({ title, cell, ...column }) => (
                <td key={title} data-title={title} className={cellClass(column)}>
                  <span className="min-w-0 sm:contents">{cell(row)}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrollable>
  )
}
