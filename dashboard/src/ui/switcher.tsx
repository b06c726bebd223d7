// A button in the bar that opens a list of links. Closes on Escape and when the focus
// leaves it; the page frame closes it after a navigation.
import { type ReactNode, useRef } from 'react'
import { classNames } from './class-names.ts'

interface SwitcherProps {
  label: string
  current: string
  /** What a phone has room for. */
  onPhone?: 'label' | 'current'
  children: ReactNode
}

export function Switcher({ label, current, onPhone = 'current', children }: SwitcherProps) {
  const details = useRef<HTMLDetailsElement>(null)
  const close = (): void => {
    if (details.current !== null) details.current.open = false
  }
  return (
    <details
      ref={details}
      className="relative"
      onBlur={event => {
        if (!event.currentTarget.contains(event.relatedTarget)) close()
      }}
      onKeyDown={event => {
        if (event.key !== 'Escape') return
        close()
        details.current?.querySelector('summary')?.focus()
      }}
    >
      <summary className="flex min-h-10 max-w-64 items-center gap-2 rounded-md border border-line px-3 py-1.5">
        <span className={classNames('text-sm text-soft', onPhone === 'current' && 'max-sm:sr-only')}>{label}</span>
        <bdi className={classNames('truncate', onPhone === 'label' && 'max-sm:sr-only')}>{current}</bdi>
        <span aria-hidden="true">▾</span>
      </summary>
      <div className="absolute z-30 mt-1 flex max-h-96 w-64 max-w-[calc(100vw-2rem)] flex-col overflow-y-auto rounded-md border border-line bg-page p-1 shadow-lg in-[.ml-auto]:right-0 [&>a]:rounded [&>a]:px-3 [&>a]:py-2 [&>a]:text-ink [&>a]:no-underline [&>a:hover]:bg-raised">
        {children}
      </div>
    </details>
  )
}
