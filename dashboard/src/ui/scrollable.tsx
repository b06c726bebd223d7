// A region that scrolls when its content does not fit; then the keyboard can reach it, too.
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { classNames } from './class-names.ts'

interface ScrollableProps {
  /** What is inside, for screen readers. */
  label: string
  className: string
  /** Its rows are cards on a tablet, too. */
  isWide?: boolean
  children: ReactNode
}

export function Scrollable({ label, className, isWide = false, children }: ScrollableProps) {
  const region = useRef<HTMLElement>(null)
  const [doesScroll, setScrolls] = useState(false)
  useEffect(() => {
    const element = region.current
    if (element === null) return
    const observer = new ResizeObserver(() =>
      setScrolls(element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight),
    )
    for (const observed of [element, ...element.children]) observer.observe(observed)
    return () => observer.disconnect()
  }, [])
  const focusable = doesScroll ? { tabIndex: 0 } : {}
  return (
    <section
      ref={region}
      aria-label={label}
      data-wide={isWide || undefined}
      // Else what is only for screen readers would stand outside of the region, and widen the page.
      className={classNames('relative', className)}
      {...focusable}
    >
      {children}
    </section>
  )
}
