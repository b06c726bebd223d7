// Leads through a list that the API returns in pages. A cursor only leads forwards; the browser's back button leads
// back.
import { Button } from '../button.tsx'

interface PagerProps {
  /** The cursor of the page that is shown; undefined for the first. */
  cursor: string | undefined
  /** Null if this is the last page. */
  next: string | null
  go: (cursor: string | undefined) => void
}

export function Pager({ cursor, next, go }: PagerProps) {
  if (cursor === undefined && next === null) return null
  return (
    <nav aria-label="Pages" className="flex flex-wrap gap-3">
      <Button disabled={cursor === undefined} onClick={() => go(undefined)}>
        First page
      </Button>
      <Button disabled={next === null} onClick={() => go(next ?? undefined)}>
        Next page
      </Button>
    </nav>
  )
}
