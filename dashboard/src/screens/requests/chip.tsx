// One of several things in a row, with a button that removes it. It stands in a list.
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from '../../ui/class-names.ts'

interface ChipProps {
  /** What the button does, such as `Remove the filter Status`. */
  removeLabel: string
  remove: () => void
  isCurrent?: boolean
  children: ReactNode
}

export function Chip({ removeLabel, remove, isCurrent = false, children }: ChipProps) {
  return (
    <li
      className={classNames(
        'inline-flex max-w-full items-center gap-1.5 overflow-hidden rounded-md border pl-2.5 text-sm',
        isCurrent ? 'border-accent bg-accent-tint' : 'border-line bg-raised',
      )}
    >
      {children}
      <button type="button" aria-label={removeLabel} className="min-h-8 px-2 hover:bg-line" onClick={remove}>
        <X aria-hidden="true" className="size-3.5" />
      </button>
    </li>
  )
}
