// The order of a table's rows and the file of them.
import { expect, test } from 'vitest'
import type { Column } from '../src/ui/table.tsx'
import { toCsv } from '../src/ui/tables/csv.ts'
import { type Order, orderAfterClick, orderRows } from '../src/ui/tables/order.ts'

interface Row {
  name: string
  cost: number | null
}

const name: Column<Row> = { title: 'Name', value: row => row.name, cell: row => row.name }
const cost: Column<Row> = { title: 'Cost', isNumber: true, value: row => row.cost, cell: row => row.cost }
const actions: Column<Row> = { title: 'Actions', cell: () => 'Delete' }
const columns = [name, cost, actions]
const rows: Row[] = [
  { name: 'model-10', cost: 0.5 },
  { name: 'model-9', cost: null },
  { name: 'Model-1', cost: 12 },
]
const namesBy = (order: Order | null) => orderRows(rows, columns, order).map(row => row.name)

test('rows are ordered by figures and by texts with their numbers; what has no value comes last', () => {
  expect(namesBy({ title: 'Cost', isDescending: true })).toEqual(['Model-1', 'model-10', 'model-9'])
  expect(namesBy({ title: 'Cost', isDescending: false })).toEqual(['model-10', 'Model-1', 'model-9'])
  expect(namesBy({ title: 'Name', isDescending: false })).toEqual(['Model-1', 'model-9', 'model-10'])
  for (const order of [null, { title: 'Actions', isDescending: true }]) {
    expect(namesBy(order)).toEqual(['model-10', 'model-9', 'Model-1'])
  }
})

test('figures begin with the largest, texts with the first; a third click leaves the order', () => {
  const clicks = (column: Column<Row>) => {
    const first = orderAfterClick(column, { title: 'Other', isDescending: false })
    const second = orderAfterClick(column, first)
    return [first, second, orderAfterClick(column, second)].map(order => order?.isDescending)
  }
  expect(clicks(cost)).toEqual([true, false, undefined])
  expect(clicks(name)).toEqual([false, true, undefined])
})

test('a file has what the columns say, and no formula', () => {
  const hostile = ['=1+1', '-2', '@SUM(A1)', 'a "quoted", text', 'two\nlines'].map(text => ({ name: text, cost: -2 }))
  expect(toCsv(columns, [...rows, ...hostile])).toBe(
    [
      'Name,Cost',
      'model-10,0.5',
      'model-9,',
      'Model-1,12',
      `'=1+1,-2`,
      `'-2,-2`,
      `'@SUM(A1),-2`,
      '"a ""quoted"", text",-2',
      '"two\nlines",-2',
      '',
    ].join('\r\n'),
  )
})
