// A text field of a filter: applies what is typed after a short pause, or at Enter.
import { useEffect, useRef, useState } from 'react'
import { TextField } from '../../ui/fields.tsx'

const pauseMs = 400

interface LateTextFieldProps {
  name: string
  label: string
  placeholder?: string
  /** As in the address. */
  value: string
  apply: (value: string) => void
}

/** What is typed stays in the field while the address follows; another value of the address replaces it. */
export function LateTextField({ value, apply, ...field }: LateTextFieldProps) {
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState(value)
  const [applied, setApplied] = useState(value)
  if (known !== value) {
    setKnown(value)
    setApplied(value)
    if (value !== applied) setTyped(value)
  }
  const latest = useRef(apply)
  useEffect(() => {
    latest.current = apply
  })
  const send = (text: string): void => {
    setApplied(text)
    if (text !== value) latest.current(text)
  }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const edit = (text: string): void => {
    setTyped(text)
    clearTimeout(timer.current)
    timer.current = setTimeout(send, pauseMs, text)
  }
  return (
    <TextField
      {...field}
      value={typed}
      onValue={edit}
      onKeyDown={event => {
        if (event.key !== 'Enter') return
        clearTimeout(timer.current)
        send(typed)
      }}
    />
  )
}
