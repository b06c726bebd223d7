// Several views of one thing, of which one is shown. The arrow keys, Home and End go from tab to tab.
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'

interface TabsProps {
  /** What the tabs choose, for screen readers. */
  label: string
  tabs: readonly { title: string; content: ReactNode }[]
}

export function Tabs({ label, tabs }: TabsProps) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const [chosen, setChosen] = useState(0)
  const press = (event: KeyboardEvent): void => {
    const next = indexAfter(event.key, chosen, tabs.length)
    if (next === null) return
    event.preventDefault()
    setChosen(next)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus()
  }
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div
        ref={list}
        role="tablist"
        tabIndex={-1}
        aria-label={label}
        onKeyDown={press}
        className="flex gap-4 overflow-x-auto border-b border-line"
      >
        {tabs.map(({ title }, index) => (
          <button
            key={title}
            type="button"
            role="tab"
            id={`${id}-${index}`}
            aria-selected={index === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={index === chosen ? 0 : -1}
            onClick={() => setChosen(index)}
            className="-mb-px min-h-8 border-b-2 border-transparent px-1 text-sm font-medium text-soft -outline-offset-2 hover:text-ink aria-selected:border-accent aria-selected:text-ink"
          >
            {title}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${chosen}`}
        className="flex min-w-0 flex-col gap-3"
      >
        {tabs[chosen]?.content}
      </div>
    </div>
  )
}

/** The tab that a key leads to; null for another key. */
function indexAfter(key: string, index: number, count: number): number | null {
  if (key === 'ArrowRight') return (index + 1) % count
  if (key === 'ArrowLeft') return (index + count - 1) % count
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : null
}
