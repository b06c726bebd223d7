// Shows the control or the section that the address names behind `#`, once the screen has it, and moves the focus to a
// control.
import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'

export function useHashTarget(): void {
  const hash = useLocation({ select: location => location.hash })
  useEffect(() => {
    if (hash === '') return
    const control = [...document.getElementsByName(hash)].find(element => element.matches(':not([type=hidden])'))
    const target = control ?? document.getElementsByName(hash)[0]?.closest('fieldset') ?? document.getElementById(hash)
    target?.scrollIntoView({ block: control === undefined ? 'start' : 'center' })
    control?.focus({ preventScroll: true })
  }, [hash])
}
