// The titles of a table's columns. A click on one orders the rows by it.
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import { classNames } from '../class-names.ts'
import type { Column } from './column.ts'
import { type Order, orderAfterClick } from './order.ts'

export interface HeadProps<Row> {
  columns: readonly Column<Row>[]
  order?: Order | null
  /** Absent where the rows keep their order. */
  setOrder?: (order: Order | null) => void
  /** It stays a table on a phone. */
  isSmall?: boolean
}

export function TableHead<Row>({ columns, order = null, setOrder, isSmall = false }: HeadProps<Row>) {
  const isOrderable = setOrder !== undefined && columns.some(({ value }) => value !== undefined)
  return (
    <thead className={classNames('text-xs text-soft', !isSmall && (isOrderable ? 'card:hidden' : 'card:sr-only'))}>
      <tr>
        {columns.map(column => (
          <th
            key={column.title}
            scope="col"
            {...(order?.title === column.title && { 'aria-sort': order.isDescending ? 'descending' : 'ascending' })}
            className={classNames(
              'sticky top-0 bg-side px-3 py-2 font-medium whitespace-nowrap',
              column.isNumber && 'text-right',
              column.isMinor && 'card:hidden',
            )}
          >
            {column.value === undefined || setOrder === undefined ? (
              column.title
            ) : (
              <button
                type="button"
                className="inline-flex items-center gap-1 hover:text-ink"
                onClick={() => setOrder(orderAfterClick(column, order))}
              >
                {column.title}
                <Direction order={order?.title === column.title ? order : null} />
              </button>
            )}
          </th>
        ))}
      </tr>
    </thead>
  )
}

function Direction({ order }: { order: Order | null }) {
  if (order === null) return <ChevronsUpDown aria-hidden="true" className="size-3 opacity-50" />
  const Arrow = order.isDescending ? ArrowDown : ArrowUp
  return <Arrow aria-hidden="true" className="size-3" />
}
