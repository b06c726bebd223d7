// A button in the bar that opens a list of links. Closes on Escape and when the focus
// leaves it; the page frame closes it after a navigation.
import { ChevronsUpDown } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { classNames } from './class-names.ts'

interface SwitcherProps {
  label: string
  current: string
  /** Stands for what is current, where there is no room for it. */
  avatar?: string
  /** The list ends where the button ends. */
  isAtEnd?: boolean
  children: ReactNode
}

export function Switcher({ label, current, avatar, isAtEnd = false, children }: SwitcherProps) {
  const details = useRef<HTMLDetailsElement>(null)
  const close = (): void => {
    if (details.current !== null) details.current.open = false
  }
  return (
    <details
      ref={details}
      className="relative min-w-0"
      onBlur={event => {
        if (!event.currentTarget.contains(event.relatedTarget)) close()
      }}
      onKeyDown={event => {
        if (event.key !== 'Escape') return
        close()
        details.current?.querySelector('summary')?.focus()
      }}
    >
      <summary className="flex min-h-8 max-w-56 list-none items-center gap-1.5 rounded-md px-2 py-1 text-sm text-ink hover:bg-raised [&::-webkit-details-marker]:hidden">
        <span className="sr-only">{label}</span>
        {avatar !== undefined && <Avatar letter={avatar} />}
        <bdi className={classNames('truncate', avatar !== undefined && 'max-md:sr-only')}>{current}</bdi>
        <ChevronsUpDown aria-hidden="true" className="size-3.5 shrink-0 text-soft" />
      </summary>
      <div
        className={classNames(
          'absolute z-30 mt-1 flex max-h-96 w-64 max-w-[calc(100vw-2rem)] flex-col overflow-y-auto rounded-lg border border-line bg-page p-1 text-sm shadow-lg [&>a]:rounded-md [&>a]:px-3 [&>a]:py-1.5 [&>a]:text-ink [&>a]:no-underline [&>a:hover]:bg-raised',
          isAtEnd && 'right-0',
        )}
      >
        {children}
      </div>
    </details>
  )
}

function Avatar({ letter }: { letter: string }) {
  return (
    <span
      aria-hidden="true"
      className="flex size-6 shrink-0 items-center justify-center rounded-full bg-accent-tint text-xs font-semibold text-accent"
    >
      {letter}
    </span>
  )
}
