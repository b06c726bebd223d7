// The values of the column under the pointer, beside it.
import { type PlotProps, swatches } from './series.ts'

interface PointedValuesProps<Row> extends Pick<PlotProps<Row>, 'series' | 'before' | 'labelOf' | 'format'> {
  row: Row
  /** The middle of the column. */
  x: number
  width: number
}

export function PointedValues<Row>({ row, x, width, series, before, labelOf, format }: PointedValuesProps<Row>) {
  const isRight = x > width / 2
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none absolute top-1 z-10 flex max-w-60 flex-col gap-1 rounded-lg border border-line bg-page px-3 py-2 text-xs shadow-lg"
      style={isRight ? { right: width - x + 12 } : { left: x + 12 }}
    >
      <span className="font-medium">{labelOf(row)}</span>
      {[...series].reverse().map(({ title, tone, value }) => (
        <Value key={title} title={title} text={format(value(row))} swatch={swatches[tone]} />
      ))}
      {before !== undefined && <Value title={before.title} text={format(before.value(row))} swatch="bg-soft" />}
    </div>
  )
}

function Value({ title, text, swatch }: { title: string; text: string; swatch: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <span className={`size-2 shrink-0 rounded-sm ${swatch}`} />
      <span className="text-soft">{title}</span>
      <span className="ml-auto pl-3 font-medium">{text}</span>
    </span>
  )
}
