// Tables of plain text, cut to the width of the terminal.

export type Column<Row> = readonly [title: string, cell: (row: Row) => string | number | null | undefined]

const gap = '  '
const minCut = 8

/** `width` is infinite where nobody reads it on a terminal: then nothing is cut. */
export function renderTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number): string {
  if (rows.length === 0) return 'None.'
  const cells = rows.map(row => columns.map(([, cell]) => oneLine(cell(row))))
  const titles = columns.map(([title]) => title)
  const widths = fit(
    titles.map((title, index) => Math.max(title.length, ...cells.map(line => line[index]?.length ?? 0))),
    width,
  )
  const lines = [titles, ...cells].map(line =>
    line
      .map((cell, index) => cut(cell, widths[index] ?? 0))
      .join(gap)
      .trimEnd(),
  )
  return lines.join('\n')
}

function oneLine(value: string | number | null | undefined): string {
  // Control characters in a name could move the cursor of the terminal.
  return value === null || value === undefined ? '-' : String(value).replace(/\p{Cc}+/gu, ' ')
}

function cut(cell: string, width: number): string {
  return cell.length <= width ? cell.padEnd(width) : `${cell.slice(0, width - 1)}…`
}

/** Takes what is too much from the widest columns. */
function fit(wanted: number[], width: number): number[] {
  const widths = wanted.slice()
  const total = () => widths.reduce((sum, one) => sum + one, gap.length * (widths.length - 1))
  while (total() > width) {
    const widest = widths.indexOf(Math.max(...widths))
    const narrower = (widths[widest] ?? 0) - 1
    if (narrower < minCut) break
    widths[widest] = narrower
  }
  return widths
}
