// The value of a setting that several controls edit, as JSON in one hidden control that has the setting's name: a form
// reads and replaces it like the text of any other control.
import { type ReactNode, useRef, useState } from 'react'

interface JsonControl {
  text: string
  write: (text: string) => void
  /** Must be rendered inside of the form. */
  control: ReactNode
}

export function useJsonControl(name: string, first: string): JsonControl {
  const ref = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(first)
  return {
    text,
    write: next => {
      if (ref.current !== null) writeControl(ref.current, next)
    },
    control: (
      <input ref={ref} type="hidden" name={name} value={text} onInput={event => setText(event.currentTarget.value)} />
    ),
  }
}

/** Reports it to who follows the control, as an edit of a user does. */
export function writeControl(control: HTMLInputElement, text: string): void {
  control.value = text
  control.dispatchEvent(new Event('input', { bubbles: true }))
}
