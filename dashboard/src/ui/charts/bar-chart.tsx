// A chart of stacked bars with axes, a legend that hides series, the values under the pointer, and a zoom: by
// dragging, or by its buttons. The same figures are in a table below it, for screen readers and for the keyboard,
// because colours and heights cannot be the only way.
import { useState } from 'react'
import { formatCount } from '../numbers.ts'
import { type Column, Table } from '../table.tsx'
import { Legend } from './legend.tsx'
import { Plot } from './plot.tsx'
import type { BeforeSeries, Series } from './series.ts'
import { useZoom } from './use-zoom.ts'
import { ZoomTools } from './zoom-tools.tsx'

/** A chart of fewer columns has nothing to zoom into. */
const minZoomed = 6

interface BarChartProps<Row> {
  /** What the chart shows, such as `Requests by day`. */
  caption: string
  /** One bar for each, from left to right. */
  rows: readonly Row[]
  /** What the bars stand for, such as `Day`: the head of the table's first column. */
  labelTitle: string
  /** The text of one bar. It must differ from those of the other bars. */
  labelOf: (row: Row) => string
  /** A shorter text for the axis; by default that of the bar, without its year. */
  tickOf?: (row: Row) => string
  /** Stacked from the bottom upwards. */
  series: readonly Series<Row>[]
  /** Drawn as a line. */
  before?: BeforeSeries<Row>
  format?: (value: number) => string
  /** `low` leaves room for what stands below the chart. */
  size?: 'usual' | 'low'
}

export function BarChart<Row>({ format = formatCount, size = 'usual', ...props }: BarChartProps<Row>) {
  const { caption, rows, labelTitle, labelOf, tickOf = row => withoutYear(labelOf(row)), series, before } = props
  const [hidden, setHidden] = useState<readonly string[]>([])
  const shown = series.filter(({ title }) => !hidden.includes(title))
  const zoom = useZoom(rows, labelOf)
  const max = Math.max(0, ...zoom.shown.map(row => sumOf(row, series)))
  const columns: Column<Row>[] = [
    { title: labelTitle, cell: labelOf },
    ...[...series, ...(before === undefined ? [] : [before])].map(
      ({ title, value }): Column<Row> => ({ title, isNumber: true, cell: row => format(value(row)) }),
    ),
  ]
  return (
    <figure className="flex flex-col gap-2">
      <figcaption className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-sm">
        <span className="font-medium">{caption}</span>
        <span className="flex flex-wrap items-center gap-x-3">
          <Legend series={series} before={before} hidden={hidden} change={setHidden} />
          {rows.length >= minZoomed && <ZoomTools caption={caption} zoom={zoom} />}
        </span>
      </figcaption>
      <Plot
        label={`${caption}, highest bar: ${format(max)}`}
        rows={zoom.shown}
        brush={rows.length >= minZoomed ? zoom.choose : null}
        {...{ series: shown, before, labelOf, tickOf, format, size }}
      />
      <details>
        <summary className="text-xs text-soft">{caption}, as a table</summary>
        <Table caption={caption} columns={columns} rows={zoom.shown} keyOf={labelOf} empty={<p>Nothing to show.</p>} />
      </details>
    </figure>
  )
}

const withoutYear = (label: string): string => label.replace(/^\d{4}-(?=\d)/, '')

const sumOf = <Row,>(row: Row, series: readonly Series<Row>[]): number =>
  series.reduce((sum, { value }) => sum + value(row), 0)
