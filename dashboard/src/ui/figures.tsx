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
    <dl className="grid grid-cols-2 gap-3 md:grid-cols-4">
      {figures.map(({ title, value, note }) => (
        <div key={title} className="rounded-md border border-line bg-raised p-3">
          <dt className="text-sm text-soft">{title}</dt>
          <dd className="text-xl font-semibold">{value}</dd>
          {note !== undefined && <dd className="text-sm text-soft">{note}</dd>}
        </div>
      ))}
    </dl>
  )
}
