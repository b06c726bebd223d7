// A table with a caption: cards in place of rows where its columns do not fit, scrolled where it is too large, and it
// says what to do when it is empty. Columns with values order the rows; a table with a file name has a choice of
// columns and a file.
import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { formatCount } from './numbers.ts'
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
  /** On a phone, the cells of a card stand beside each other, and a part of the rows is shown first. */
  isDense?: boolean
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

/** On the dense card of a phone, the cells follow each other as words do, each behind its title. */
const denseCardClass =
  'card:max-sm:mb-2 card:max-sm:flex card:max-sm:flex-wrap card:max-sm:items-baseline card:max-sm:gap-x-3 card:max-sm:gap-y-0.5 card:max-sm:px-3'
const denseCellClass =
  'card:max-sm:not-has-[>span:empty]:flex card:max-sm:items-baseline card:max-sm:gap-1.5 card:max-sm:p-0 card:max-sm:max-w-full card:max-sm:before:shrink-0'
const untitledClass = 'card:max-sm:before:hidden'
/** Of a dense table, the others are shown at a press. */
const firstRowsOfPhone = 20

type Shape = Pick<Column<never>, 'title' | 'isNarrow' | 'isNumber' | 'isMinor' | 'needsNoTitle'>

function cellClass(shape: Shape, isSmall: boolean, isDense: boolean): string {
  const { title, isNarrow, isNumber, isMinor, needsNoTitle } = shape
  if (isDense)
    return classNames(cellClass(shape, isSmall, false), !isMinor && denseCellClass, needsNoTitle && untitledClass)
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
  isDense = false,
  ...rest
}: TableProps<Row>) {
  const [order, setOrder] = useState<Order | null>(null)
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const [isUnfolded, setUnfolded] = useState(!isDense)
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
      <Grid
        columns={shown}
        rows={body}
        isTall={fileName !== undefined}
        {...{ isSmall, isDense, isUnfolded }}
        {...head}
        {...rest}
      />
      {!isUnfolded && body.length > firstRowsOfPhone && (
        <p className="sm:hidden">
          <Button data-table-tool onClick={() => setUnfolded(true)}>
            Show {formatCount(body.length - firstRowsOfPhone)} more
          </Button>
        </p>
      )}
    </>
  )
}

interface GridProps<Row> extends HeadProps<Row>, Pick<TableProps<Row>, 'caption' | 'rows' | 'keyOf'> {
  /** The titles stay while the rows scroll below them. */
  isTall: boolean
  isSmall: boolean
  isDense: boolean
  /** A phone shows all rows. */
  isUnfolded: boolean
}

function Grid<Row>({ caption, columns, rows, keyOf, isTall, isSmall, isDense, isUnfolded, ...head }: GridProps<Row>) {
  const classOfRow = (index: number): string => {
    const isFolded = !isUnfolded && index >= firstRowsOfPhone
    return classNames(rowClass, !isSmall && cardClass, isFolded ? 'card:max-sm:hidden' : isDense && denseCardClass)
  }
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
          {rows.map((row, index) => (
            <tr key={keyOf(row)} className={classOfRow(index)}>
              {columns.map(({ cell, ...column }) => (
                <td key={column.title} data-title={column.title} className={cellClass(column, isSmall, isDense)}>
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
