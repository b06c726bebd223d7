// A table with a caption: cards in place of rows where its columns do not fit, scrolled where it is too large, and it
// says what to do when it is empty. Columns with values order the rows; a table with a file name has a choice of
// columns and a file.
import { type ReactNode, useState } from 'react'
import { classNames } from './class-names.ts'
import { Scrollable } from './scrollable.tsx'
import type { Column } from './tables/column.ts'
import { type Order, orderRows } from './tables/order.ts'
import { type HeadProps, TableHead } from './tables/table-head.tsx'
import { TableTools } from './tables/table-tools.tsx'

export type { Column }

interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  caption: string
  columns: Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  empty: ReactNode
  /** Of the file, without `.csv`. */
  fileName?: string
  /** There are more rows, which are not here: an order of these alone would mislead. */
  isPart?: boolean
  /** Its few short columns fit a phone, where it stays a table. */
  isSmall?: boolean
  /** Only so many of the ordered rows are shown. */
  maxShown?: number
}

/** With more columns, the rows are cards on a tablet, too. */
const maxColumnsOfTablet = 4

const rowClass = 'border-t border-line align-baseline hover:bg-side focus-within:bg-side'
const cardClass = 'card:mb-3 card:grid card:rounded-lg card:border card:py-2 card:sm:grid-cols-2'
/** Their buttons need no title, and stand on one line where there is room. */
const actionsTitle = 'Actions'
const actionsClass = 'card:col-span-full min-[1400px]:[&>span>div]:flex-nowrap'
/** The first cell of a card is its title; a number says nothing without its own. */
const titleOfCardClass = 'first:card:col-span-full first:card:block first:card:font-semibold first:card:before:hidden'
const cellOfCardClass =
  'card:grid card:grid-cols-[minmax(0,2fr)_minmax(0,3fr)] card:gap-2 card:sm:grid-cols-[5.5rem_minmax(0,1fr)] card:py-1 card:before:text-xs/5 card:before:text-soft card:before:content-[attr(data-title)]'

type Shape = Pick<Column<never>, 'title' | 'isNarrow' | 'isNumber' | 'isMinor'>

function cellClass({ title, isNarrow, isNumber, isMinor }: Shape, isSmall: boolean): string {
  return classNames(
    // Where there is room, words stay whole.
    'px-3 py-2 min-[1400px]:wrap-break-word min-[1400px]:[&_button]:whitespace-nowrap',
    isMinor ? 'card:hidden' : !isSmall && 'card:has-[>span:empty]:hidden',
    // The title stands before the value.
    !isMinor && !isSmall && title !== actionsTitle && cellOfCardClass,
    !isNumber && !isSmall && titleOfCardClass,
    title === actionsTitle && actionsClass,
    isNumber && 'whitespace-nowrap text-right',
    isNumber && !isSmall && 'card:text-left',
    !isNarrow && !isNumber && 'min-w-28 card:min-w-0',
  )
}

export function Table<Row>({
  columns,
  rows,
  empty,
  fileName,
  isPart = false,
  isSmall = false,
  maxShown,
  ...rest
}: TableProps<Row>) {
  const [order, setOrder] = useState<Order | null>(null)
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  if (rows.length === 0) return <>{empty}</>
  const shown = columns.filter(({ title }) => !hidden.has(title))
  const ordered = isPart ? rows : orderRows(rows, columns, order)
  const body = ordered.slice(0, maxShown)
  const head = isPart ? {} : { order, setOrder }
  return (
    <>
      {fileName !== undefined && (
        <TableTools fileName={fileName} columns={columns} hidden={hidden} hide={setHidden} shown={shown} rows={body} />
      )}
      <Grid columns={shown} rows={body} isTall={fileName !== undefined} isSmall={isSmall} {...head} {...rest} />
    </>
  )
}

interface GridProps<Row> extends HeadProps<Row>, Pick<TableProps<Row>, 'caption' | 'rows' | 'keyOf'> {
  /** The titles stay while the rows scroll below them. */
  isTall: boolean
  isSmall: boolean
}

function Grid<Row>({ caption, columns, rows, keyOf, isTall, isSmall, ...head }: GridProps<Row>) {
  return (
    <Scrollable
      label={caption}
      isWide={columns.length > maxColumnsOfTablet}
      className={classNames(
        'rounded-lg border border-line in-data-framed:rounded-none in-data-framed:border-0',
        !isSmall && 'card:border-0',
        isTall ? 'max-h-[80vh] overflow-auto card:max-h-none' : 'overflow-x-auto',
      )}
    >
      <table className="w-full text-left text-sm">
        <caption className="sr-only">{caption}</caption>
        <TableHead columns={columns} isSmall={isSmall} {...head} />
        <tbody>
          {rows.map(row => (
            <tr key={keyOf(row)} className={classNames(rowClass, !isSmall && cardClass)}>
              {columns.map(({ cell, ...column }) => (
                <td key={column.title} data-title={column.title} className={cellClass(column, isSmall)}>
                  <span className={classNames('contents', !isSmall && 'card:block card:min-w-0')}>{cell(row)}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrollable>
  )
}
