// The frame of a screen: its title, which gets the focus after a navigation, its actions and its content.
import { type ReactNode, useEffect, useRef } from 'react'

interface PageProps {
  title: string
  /** One sentence on what the screen is for. */
  lead?: ReactNode
  actions?: ReactNode
  /** Queries on which the lead or the actions depend: nothing of the page is seen before. */
  awaited?: readonly { isLoading: boolean }[]
  children: ReactNode
}

let isFirstPage = true

export function Page({ title, lead, actions, awaited = [], children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // The browser itself announces the first page.
    if (!isFirstPage) heading.current?.focus()
    isFirstPage = false
  }, [])
  return (
    <div className="flex flex-col gap-6">
      <title>{`${title} · Sallyport`}</title>
      <Awaited queries={awaited} />
      <div className="flex flex-wrap items-start justify-between gap-4">
        {/* Actions stand beside a long lead, not below it. */}
        <div className="min-w-0 flex-1 basis-72">
          <h1 ref={heading} tabIndex={-1} dir="auto" className="text-xl font-semibold tracking-tight">
            {title}
          </h1>
          {lead !== undefined && <p className="mt-1 max-w-3xl text-sm text-soft">{lead}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      {children}
    </div>
  )
}

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-3">
      <h2 className="text-base font-semibold">{title}</h2>
      {children}
    </section>
  )
}

/**
 * Stands above what moves when these are read, in place of something that may be empty. What stands below it is seen
 * once they are, as below all that loads (see `styles.css`).
 */
export function Awaited({ queries }: { queries: readonly { isLoading: boolean }[] }) {
  return queries.some(({ isLoading }) => isLoading) && <span hidden data-loading />
}
