// A row of the few figures that matter most.
import type { ReactNode } from 'react'

interface Figure {
  title: string
  value: ReactNode
  /** A second line, such as the parts of a sum. */
  note?: ReactNode
}

export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className="flex flex-wrap gap-px overflow-hidden rounded-lg border border-line bg-line">
      {figures.map(({ title, value, note }) => (
        <div key={title} className="grow basis-34 bg-page px-4 py-3">
          <dt className="text-xs text-soft">{title}</dt>
          <dd className="mt-0.5 text-xl font-semibold tracking-tight whitespace-nowrap">{value}</dd>
          {note !== undefined && <dd className="text-xs text-soft">{note}</dd>}
        </div>
      ))}
    </dl>
  )
}
