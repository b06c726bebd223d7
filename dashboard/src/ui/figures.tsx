// Numbers as people read them, and a row of the few that matter most.
import type { ReactNode } from 'react'

const counts = new Intl.NumberFormat()
const dollars = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD' })
const smallDollars = new Intl.NumberFormat(undefined, {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  // A short answer costs less than a thousandth of a cent.
  maximumFractionDigits: 6,
})

export const formatCount = (value: number): string => counts.format(value)

export const formatUsd = (value: number): string => (value < 1 ? smallDollars : dollars).format(value)

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
