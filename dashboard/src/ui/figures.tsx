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
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line md:grid-flow-col md:auto-cols-fr md:grid-cols-none">
      {figures.map(({ title, value, note }) => (
        <div key={title} className="bg-page px-4 py-3 max-md:last:odd:col-span-2">
          <dt className="text-xs text-soft">{title}</dt>
          <dd className="mt-0.5 text-xl font-semibold tracking-tight">{value}</dd>
          {note !== undefined && <dd className="text-xs text-soft">{note}</dd>}
        </div>
      ))}
    </dl>
  )
}
