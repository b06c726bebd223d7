// A chart of stacked bars, in plain SVG. The same figures are in a table below it, for screen readers and for reading
// exact values, because colours and heights cannot be the only way to them.
import { formatCount } from './numbers.ts'
import { type Column, Table } from './table.tsx'

const fills = {
  accent: 'fill-accent',
  good: 'fill-good',
  warn: 'fill-warn',
  danger: 'fill-danger',
  soft: 'fill-soft',
}
const swatches: Record<keyof typeof fills, string> = {
  accent: 'bg-accent',
  good: 'bg-good',
  warn: 'bg-warn',
  danger: 'bg-danger',
  soft: 'bg-soft',
}

export interface Series<Row> {
  title: string
  tone: keyof typeof fills
  value: (row: Row) => number
}

interface BarChartProps<Row> {
  /** What the chart shows, such as `Requests by day`. */
  caption: string
  /** One bar for each, from left to right. */
  rows: readonly Row[]
  /** What the bars stand for, such as `Day`: the head of the table's first column. */
  labelTitle: string
  /** The text of one bar. It must differ from those of the other bars. */
  labelOf: (row: Row) => string
  /** Stacked from the bottom upwards. */
  series: readonly Series<Row>[]
  format?: (value: number) => string
}

const height = 100
const barWidth = 10
/** The height of a value that is not zero: a pixel or two, so that it can be seen beside large ones. */
const minBarHeight = 1.5

export function BarChart<Row>({ format = formatCount, ...props }: BarChartProps<Row>) {
  const { caption, rows, labelTitle, labelOf, series } = props
  const sumOf = (row: Row): number => series.reduce((sum, { value }) => sum + value(row), 0)
  const max = Math.max(0, ...rows.map(sumOf))
  const columns: Column<Row>[] = [
    { title: labelTitle, cell: labelOf },
    ...series.map(({ title, value }) => ({ title, cell: (row: Row) => format(value(row)) })),
  ]
  return (
    <figure className="flex flex-col gap-2">
      <figcaption className="flex flex-wrap gap-x-4 text-sm">
        <span className="font-medium">{caption}</span>
        {series.length > 1 && series.map(({ title, tone }) => <LegendEntry key={title} title={title} tone={tone} />)}
      </figcaption>
      <p className="text-sm text-soft">Highest bar: {format(max)}</p>
      <svg
        role="img"
        aria-label={`${caption}, highest bar: ${format(max)}`}
        viewBox={`0 0 ${Math.max(1, rows.length) * barWidth} ${height}`}
        preserveAspectRatio="none"
        className="h-40 w-full border-b border-control"
      >
        {rows.map((row, index) => (
          <Bar
            key={labelOf(row)}
            row={row}
            x={index * barWidth}
            max={max}
            title={labelOf(row)}
            {...{ series, format }}
          />
        ))}
      </svg>
      <p aria-hidden="true" className="flex justify-between gap-4 text-sm text-soft">
        {edgesOf(rows).map(row => (
          <span key={labelOf(row)}>{labelOf(row)}</span>
        ))}
      </p>
      <details>
        <summary className="py-1 text-sm">{caption}, as a table</summary>
        <Table caption={caption} columns={columns} rows={rows} keyOf={labelOf} empty={<p>Nothing to show.</p>} />
      </details>
    </figure>
  )
}

interface BarProps<Row> {
  row: Row
  x: number
  max: number
  title: string
  series: readonly Series<Row>[]
  format: (value: number) => string
}

function Bar<Row>({ row, x, max, title, series, format }: BarProps<Row>) {
  const heights = series.map(({ value }) => heightOf(value(row), max))
  return (
    <g>
      <title>{[title, ...series.map(one => `${one.title}: ${format(one.value(row))}`)].join('\n')}</title>
      {/* The pointer finds the title above a low bar, too. */}
      <rect x={x} y={0} width={barWidth} height={height} className="fill-transparent" />
      {series.map((one, index) => {
        const top = height - heights.slice(0, index + 1).reduce((sum, part) => sum + part, 0)
        const part = heights[index] ?? 0
        return <rect key={one.title} x={x + 1} y={top} width={barWidth - 2} height={part} className={fills[one.tone]} />
      })}
    </g>
  )
}

function heightOf(value: number, max: number): number {
  return value <= 0 || max <= 0 ? 0 : Math.max(minBarHeight, (value / max) * height)
}

function LegendEntry({ title, tone }: Pick<Series<never>, 'title' | 'tone'>) {
  return (
    <span className="inline-flex items-center gap-1.5 text-soft">
      <span aria-hidden="true" className={`inline-block size-3 rounded-sm ${swatches[tone]}`} />
      {title}
    </span>
  )
}

/** The first and the last: labels of all bars would not fit on a phone. */
function edgesOf<Row>(rows: readonly Row[]): Row[] {
  return rows.length < 2 ? [...rows] : [...rows.slice(0, 1), ...rows.slice(-1)]
}
