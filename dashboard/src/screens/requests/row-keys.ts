// Moves through the rows of a table with the keyboard: `j` and `k` from anywhere on the screen, the arrows once a row
// has the focus. The focus is on the link of the row, so that Enter opens it.
import { type RefObject, useEffect } from 'react'
import { isSingleKey } from '../../router/single-keys.ts'

const steps: Record<string, number> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }

export function useRowKeys(table: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const step = steps[event.key]
      const links = [...(table.current?.querySelectorAll<HTMLElement>('tbody tr > :first-child a') ?? [])]
      if (step === undefined || links.length === 0) return
      const at = links.indexOf(document.activeElement as HTMLElement)
      const isArrow = event.key.startsWith('Arrow')
      if (isArrow ? at === -1 || event.ctrlKey || event.metaKey || event.altKey : !isSingleKey(event)) return
      event.preventDefault()
      const next = links[Math.min(links.length - 1, Math.max(0, at + step))]
      next?.focus()
      next?.scrollIntoView({ block: 'nearest' })
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [table])
}
