// The drawing of a chart, as wide as its place: grid, axes, bars, the line of an earlier time, and the values under the
// pointer.
import { useLayoutEffect, useRef, useState } from 'react'
import { classNames } from '../class-names.ts'
import { PointedValues } from './pointed-values.tsx'
import { type Area, labelled, ticksFor } from './scale.ts'
import { type BeforeSeries, fills, type PlotProps, type Series } from './series.ts'
import { usePointer } from './use-pointer.ts'

const heights = { usual: 200, low: 112 }
const bottom = 22
const top = 8
/** The height of a value that is not zero: so that it can be seen beside large ones. */
const minBarHeight = 2
const characterWidth = 7

export function Plot<Row>({ label, ...props }: PlotProps<Row>) {
  const { rows, series, before, format, brush, size } = props
  const height = heights[size]
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const values = rows.flatMap(row => [sumOf(series, row), before?.value(row) ?? 0])
  const ticks = ticksFor(Math.max(0, ...values), { isWhole: values.every(Number.isInteger) })
  const left = 12 + Math.max(...ticks.map(tick => format(tick).length)) * characterWidth
  const area: Area = { width, height, left, bottom }
  const scale = (value: number): number => (value / (ticks.at(-1) ?? 1)) * (height - bottom - top)
  const { pointed, brushed, handlers } = usePointer(rows.length, area, brush)
  const row = pointed === null ? undefined : rows[pointed]
  return (
    <div
      ref={box}
      className={classNames(
        'relative touch-pan-y overflow-hidden select-none',
        size === 'low' ? 'h-28' : 'h-50',
        brush !== null && 'cursor-crosshair',
      )}
      {...handlers}
    >
      {width > 0 && (
        <svg role="img" aria-label={label} width={width} height={height} className="absolute">
          <Grid area={area} ticks={ticks} scale={scale} format={format} />
          {brushed !== null && <Brushed area={area} ends={brushed} columns={rows.length} />}
          <Columns {...props} area={area} scale={scale} pointed={pointed} />
          {before !== undefined && <Line rows={rows} before={before} area={area} scale={scale} />}
        </svg>
      )}
      {row !== undefined && pointed !== null && (
        <PointedValues {...props} row={row} x={left + ((pointed + 0.5) / rows.length) * (width - left)} width={width} />
      )}
    </div>
  )
}

const sumOf = <Row,>(series: readonly Series<Row>[], row: Row): number =>
  series.reduce((sum, { value }) => sum + value(row), 0)

function useWidth(box: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    setWidth(element.clientWidth)
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [box])
  return width
}

/** What the pointer is dragged over. */
function Brushed({ area, ends, columns }: { area: Area; ends: readonly [number, number]; columns: number }) {
  const step = (area.width - area.left) / Math.max(1, columns)
  const [first, last] = ends
  return (
    <rect
      x={area.left + first * step}
      y={0}
      width={(last - first + 1) * step}
      height={area.height - bottom}
      className="fill-accent-tint"
    />
  )
}

interface Drawn {
  area: Area
  scale: (value: number) => number
}

function Grid({ area, scale, ticks, format }: Drawn & { ticks: readonly number[]; format: (value: number) => string }) {
  const { width, height, left } = area
  return ticks.map(tick => {
    const y = height - bottom - scale(tick)
    return (
      <g key={tick}>
        <line x1={left} x2={width} y1={y} y2={y} className="stroke-line" />
        <text x={left - 8} y={y + 4} textAnchor="end" className="fill-soft text-xs">
          {format(tick)}
        </text>
      </g>
    )
  })
}

type ColumnsProps<Row> = Drawn &
  Pick<PlotProps<Row>, 'rows' | 'series' | 'labelOf' | 'tickOf'> & { pointed: number | null }

function Columns<Row>({ rows, series, labelOf, tickOf, area, scale, pointed }: ColumnsProps<Row>) {
  const step = (area.width - area.left) / Math.max(1, rows.length)
  const gap = Math.min(4, step / 4)
  const longest = Math.max(1, ...rows.map(row => tickOf(row).length)) * characterWidth + 12
  const labels = labelled(rows.length, longest, area)
  return [...rows.entries()].map(([index, row]) => {
    const x = area.left + index * step
    return (
      <g key={labelOf(row)}>
        {pointed === index && <rect x={x} y={0} width={step} height={area.height - bottom} className="fill-raised" />}
        <Bar
          row={row}
          series={series}
          x={x + gap / 2}
          base={area.height - bottom}
          width={Math.max(1, step - gap)}
          scale={scale}
        />
        {labels.has(index) && (
          <text x={labels.get(index)} y={area.height - 4} textAnchor="middle" className="fill-soft text-xs">
            {tickOf(row)}
          </text>
        )}
      </g>
    )
  })
}

interface BarProps<Row> {
  row: Row
  series: readonly Series<Row>[]
  x: number
  /** Where the bar stands. */
  base: number
  width: number
  scale: (value: number) => number
}

function Bar<Row>({ row, series, x, base, width, scale }: BarProps<Row>) {
  const parts = series.map(({ value }) => (value(row) > 0 ? Math.max(minBarHeight, scale(value(row))) : 0))
  return series.map(({ title, tone }, index) => {
    const above = parts.slice(0, index + 1).reduce((sum, part) => sum + part, 0)
    const y = base - above
    return <rect key={title} x={x} y={y} width={width} height={parts[index]} rx={1} className={fills[tone]} />
  })
}

function Line<Row>({ rows, before, area, scale }: Drawn & { rows: readonly Row[]; before: BeforeSeries<Row> }) {
  const step = (area.width - area.left) / Math.max(1, rows.length)
  const points = rows.map(
    (row, index) => `${area.left + (index + 0.5) * step},${area.height - bottom - scale(before.value(row))}`,
  )
  return (
    <polyline
      points={points.join(' ')}
      fill="none"
      strokeDasharray="1 4"
      strokeLinecap="round"
      className="stroke-soft stroke-2"
    />
  )
}
