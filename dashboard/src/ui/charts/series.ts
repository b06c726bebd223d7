// What a chart shows of its rows, and in which colour.

export const fills = {
  accent: 'fill-chart-accent',
  good: 'fill-chart-good',
  warn: 'fill-chart-warn',
  danger: 'fill-chart-danger',
  soft: 'fill-chart-soft',
  teal: 'fill-chart-teal',
}

export const swatches: Record<keyof typeof fills, string> = {
  accent: 'bg-chart-accent',
  good: 'bg-chart-good',
  warn: 'bg-chart-warn',
  danger: 'bg-chart-danger',
  soft: 'bg-chart-soft',
  teal: 'bg-chart-teal',
}

/** Drawn as a line: the same at an earlier time, or another measure of it. */
export interface BeforeSeries<Row> {
  title: string
  value: (row: Row) => number
}

export interface Series<Row> extends BeforeSeries<Row> {
  tone: keyof typeof fills
}

/** What is drawn. */
export interface PlotProps<Row> {
  label: string
  rows: readonly Row[]
  series: readonly Series<Row>[]
  before: BeforeSeries<Row> | undefined
  labelOf: (row: Row) => string
  tickOf: (row: Row) => string
  format: (value: number) => string
  size: 'usual' | 'low'
  /** Takes the columns that the pointer was dragged over, both ends included; null if the chart has no zoom. */
  brush: ((first: number, last: number) => void) | null
}
