// What a screen shows while it loads, when it is empty, when reading failed, and to a viewer: each says what to do.
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { hasStatus, messageOf } from '../api/errors.ts'
import { Button, Spinner } from './button.tsx'
import { Page } from './page.tsx'

export function Loading({ what }: { what: string }) {
  return (
    <p data-loading role="status" className="flex min-h-32 items-center justify-center gap-2 text-sm text-soft">
      <Spinner /> Loading {what}…
    </p>
  )
}

export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-3 rounded-lg border border-dashed border-line px-6 py-10 text-center text-sm text-soft">
      <p className="text-base font-semibold text-ink">{title}</p>
      {children}
    </div>
  )
}

export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <div role="alert" className="flex flex-col items-start gap-3 rounded-lg bg-danger-tint p-4 text-sm">
      <p dir="auto" className="text-danger">
        {messageOf(error)}
      </p>
      {retry !== undefined && <Button onClick={retry}>Try again</Button>}
    </div>
  )
}

interface LoadedProps<Data> {
  query: UseQueryResult<Data>
  /** What is read, such as `projects`. */
  what: string
  /** The title of the page as long as there is no data, if the whole page needs them. */
  pageTitle?: string
  children: (data: Data) => ReactNode
}

/**
 * Shows data as soon as there is some; see `Updated` for those of another filter. An error of a later read does not
 * hide it, unless the data is gone, or the user may not read it any more.
 */
export function Loaded<Data>({ query, what, pageTitle, children }: LoadedProps<Data>) {
  const isGone = hasStatus(query.error, 403) || hasStatus(query.error, 404)
  if (query.data !== undefined && !isGone) {
    return <Updated isOutdated={query.isPlaceholderData}>{children(query.data)}</Updated>
  }
  const state = query.isError ? (
    <Failure error={query.error} retry={() => void query.refetch()} />
  ) : (
    <Loading what={what} />
  )
  return pageTitle === undefined ? state : <Page title={pageTitle}>{state}</Page>
}

/** Fades what belongs to another filter until the wanted data are there. */
export function Updated({ isOutdated, children }: { isOutdated: boolean; children: ReactNode }) {
  return (
    <div aria-busy={isOutdated} className="contents aria-busy:*:opacity-60">
      {children}
    </div>
  )
}

/** What stands in place of what the user's role does not allow, such as `change the settings`. */
export function RoleHint({ to }: { to: string }) {
  return (
    <p className="text-sm text-soft">
      Your role does not let you {to}. Ask an owner of the tenant for a role that does.
    </p>
  )
}

/** In place of a form, while a file manages the project; the bar above the screen says more. */
export function FileHint() {
  return <p className="text-sm text-soft">A file manages this project: change it in the file.</p>
}
