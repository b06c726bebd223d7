// The frame of the pages that need no session.
import type { ReactNode } from 'react'
import { Logo } from '../../ui/logo.tsx'

export function NarrowPage({ children }: { children: ReactNode }) {
  return (
    <>
      <header className="flex gap-6 border-b border-line px-4 py-3">
        <a href="/" className="flex items-center gap-2 font-semibold text-ink no-underline">
          <Logo />
          Sallyport
        </a>
        <a href="/docs">Documentation</a>
      </header>
      <main className="mx-auto max-w-md px-4 py-8 sm:mt-12 sm:rounded-xl sm:border sm:border-line sm:p-8">
        {children}
      </main>
    </>
  )
}
