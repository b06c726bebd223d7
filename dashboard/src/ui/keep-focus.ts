// Moves the focus to the title of the screen when what had it is gone, such as the row of something that was deleted:
// otherwise, the keyboard would begin at the top of the page again.
import { useLocation } from '@tanstack/react-router'
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

/** Shows the control or the section that the address names behind `#`, and moves the focus to a control. */
export function useHashTarget(): void {
  const hash = useLocation({ select: location => location.hash })
  useEffect(() => {
    if (hash === '') return
    // After the title of the screen has got the focus.
    const frame = requestAnimationFrame(() => show(hash))
    return () => cancelAnimationFrame(frame)
  }, [hash])
}

function show(hash: string): void {
  const named = [...document.getElementsByName(hash)]
  const control = named.find(element => element.matches(':not([type=hidden])'))
  const target = control ?? named[0]?.closest('fieldset') ?? document.getElementById(hash)
  target?.scrollIntoView({ block: control === undefined ? 'start' : 'center' })
  control?.focus({ preventScroll: true })
}
