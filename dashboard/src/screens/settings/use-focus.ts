// Moves the focus after the next rendering, to a control that appears or takes the place of one that is gone.
import { useEffect, useRef, useState } from 'react'

const controls = 'input:not([type=hidden]), textarea, select, button'

/** Finds a control by its name, or the first one of a setting that has several. */
export function useFocus() {
  const box = useRef<HTMLDivElement>(null)
  const [target, setTarget] = useState({ name: '' })
  useEffect(() => {
    if (target.name === '') return
    const found = [...(box.current?.querySelectorAll<HTMLInputElement>(controls) ?? [])]
    found.find(({ name }) => name === target.name || name.startsWith(`${target.name}.`))?.focus()
  }, [target])
  return { box, focusOn: (name: string) => setTarget({ name }) }
}
