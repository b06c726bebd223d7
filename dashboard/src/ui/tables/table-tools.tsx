// What a table offers above its rows: a choice of its columns, and a file of what it shows.
import { Download } from 'lucide-react'
import { Button } from '../button.tsx'
import { Switcher } from '../switcher.tsx'
import type { Column } from './column.ts'
import { toCsv } from './csv.ts'

interface TableToolsProps<Row> {
  fileName: string
  columns: readonly Column<Row>[]
  hidden: ReadonlySet<string>
  hide: (hidden: ReadonlySet<string>) => void
  /** Of the columns that are not hidden. */
  shown: readonly Column<Row>[]
  rows: readonly Row[]
}

export function TableTools<Row>({ fileName, columns, hidden, hide, shown, rows }: TableToolsProps<Row>) {
  const toggle = (title: string): void => {
    const changed = new Set(hidden)
    if (!changed.delete(title)) changed.add(title)
    hide(changed)
  }
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <Switcher label="Choose the columns:" current="Columns" isAtEnd>
        {columns.slice(1).map(({ title }) => (
          <label key={title} className="flex items-center gap-2 rounded-md px-3 py-1.5 hover:bg-raised">
            <input type="checkbox" checked={!hidden.has(title)} onChange={() => toggle(title)} />
            {title}
          </label>
        ))}
      </Switcher>
      <Button data-table-tool onClick={() => download(`${fileName}.csv`, toCsv(shown, rows))}>
        <Download aria-hidden="true" className="size-4" />
        Table as CSV
      </Button>
    </div>
  )
}

function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
