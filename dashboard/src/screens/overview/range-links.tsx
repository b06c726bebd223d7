// Chooses the period of an overview. It is part of the address. The router marks the link of the address as the current
// page, and where the address has none, this marks the default.
import { Link } from '@tanstack/react-router'

const ranges = ['24h', '7d', '30d'] as const
export type Range = (typeof ranges)[number]

export interface RangeSearch {
  range?: Range
}

export const rangeNames: Record<Range, string> = { '24h': '24 hours', '7d': '7 days', '30d': '30 days' }

export function readRange(search: Record<string, unknown>): RangeSearch {
  const range = ranges.find(one => one === search['range'])
  return range === undefined ? {} : { range }
}

export function RangeLinks({ range }: { range: Range }) {
  return (
    <nav aria-label="Period" className="flex rounded-md border border-line p-0.5 text-sm">
      {ranges.map(one => (
        <Link
          key={one}
          to="."
          search={{ range: one }}
          replace
          aria-current={one === range ? 'true' : undefined}
          className="rounded px-2.5 py-0.5 text-soft no-underline hover:text-ink [&[aria-current]]:bg-accent-tint [&[aria-current]]:font-medium [&[aria-current]]:text-ink"
        >
          {rangeNames[one]}
        </Link>
      ))}
    </nav>
  )
}
