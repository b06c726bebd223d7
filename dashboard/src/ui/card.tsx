// A framed part of an overview: its title, a note or a link beside it, and its content.
import type { ReactNode } from 'react'

interface CardProps {
  title: string
  aside?: ReactNode
  children: ReactNode
}

export function Card({ title, aside, children }: CardProps) {
  return (
    <section className="flex min-w-0 flex-col rounded-lg border border-line">
      <header className="flex min-h-10 flex-wrap items-center justify-between gap-x-4 border-b border-line px-4 py-2 text-sm">
        <h2 className="font-semibold">{title}</h2>
        {aside !== undefined && <span className="text-xs text-soft">{aside}</span>}
      </header>
      {/* A table fills the card up to its border. */}
      <div
        data-framed
        className="flex min-w-0 flex-col gap-3 p-4 text-sm has-[table]:p-0 [&_:is(th,td):first-child]:pl-4 [&_:is(th,td):last-child]:pr-4"
      >
        {children}
      </div>
    </section>
  )
}

/** Cards beside each other where there is room: those of a row are equally high, and one alone is as wide as two. */
export function Cards({ children }: { children: ReactNode }) {
  return <div className="grid gap-4 lg:grid-cols-2 lg:[&>:last-child:nth-child(odd)]:col-span-2">{children}</div>
}

interface Fact {
  title: string
  value: ReactNode
}

/** Facts one below the other, each with its name at the left. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2">
      {facts.map(({ title, value }) => (
        <div key={title} className="contents">
          <dt className="text-soft">{title}</dt>
          <dd className="text-right">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
