// What the colours of a chart mean. A series whose box is not ticked is hidden.
import type { BeforeSeries, Series } from './series.ts'
import { swatches } from './series.ts'

interface LegendProps<Row> {
  series: readonly Series<Row>[]
  before: BeforeSeries<Row> | undefined
  hidden: readonly string[]
  change: (hidden: readonly string[]) => void
}

export function Legend<Row>({ series, before, hidden, change }: LegendProps<Row>) {
  if (series.length < 2 && before === undefined) return null
  return (
    <span className="flex flex-wrap gap-x-3 text-xs text-soft">
      {series.length > 1 &&
        series.map(({ title, tone }) => (
          <label
            key={title}
            className="inline-flex min-h-6 cursor-pointer items-center gap-1.5 rounded has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="checkbox"
              className="peer sr-only"
              checked={!hidden.includes(title)}
              onChange={({ currentTarget }) =>
                change(currentTarget.checked ? hidden.filter(one => one !== title) : [...hidden, title])
              }
            />
            <span aria-hidden="true" className={`size-2.5 rounded-sm peer-not-checked:opacity-25 ${swatches[tone]}`} />
            <span className="peer-not-checked:line-through">{title}</span>
          </label>
        ))}
      {before !== undefined && (
        <span className="inline-flex min-h-6 items-center gap-1.5">
          <span aria-hidden="true" className="h-0 w-3 border-t-2 border-dotted border-soft" />
          {before.title}
        </span>
      )}
    </span>
  )
}
