// The order of a table's rows, by one of its columns: chosen by a click on the title, turned by a second one, and left
// again by a third.
import type { Column, Value } from './column.ts'

export interface Order {
  title: string
  isDescending: boolean
}

/** Figures begin with the largest. */
export function orderAfterClick<Row>({ title, isNumber }: Column<Row>, order: Order | null): Order | null {
  const isDescending = isNumber === true
  if (order?.title !== title) return { title, isDescending }
  return order.isDescending === isDescending ? { title, isDescending: !isDescending } : null
}

/** Rows without a value come last, whichever way the others go. */
export function orderRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], order: Order | null) {
  const value = columns.find(({ title }) => title === order?.title)?.value
  if (order === null || value === undefined) return rows
  return rows.toSorted((one, other) => compare(value(one), value(other), order.isDescending ? -1 : 1))
}

function compare(one: Value, other: Value, sign: 1 | -1): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  if (typeof one === 'number' && typeof other === 'number') return sign * (one - other)
  return sign * String(one).localeCompare(String(other), undefined, { numeric: true })
}
