// Moves the focus to the title of the screen when what had it is gone, such as the row of something that was deleted:
// otherwise, the keyboard would begin at the top of the page again.
import { useEffect } from 'react'

export function useKeptFocus(): void {
  useEffect(() => {
    let last: Element | null = null
    const remember = ({ target }: FocusEvent): void => {
      // A dialog returns the focus to what opened it.
      if (target instanceof Element && target.closest('dialog') === null) last = target
    }
    const observer = new MutationObserver(() => {
      if (last === null || last.isConnected || document.activeElement !== document.body) return
      last = null
      document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
    })
    document.addEventListener('focusin', remember)
    observer.observe(document.body, { childList: true, subtree: true })
    return () => {
      document.removeEventListener('focusin', remember)
      observer.disconnect()
    }
  }, [])
}
