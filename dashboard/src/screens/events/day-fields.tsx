// The fields for the days of a screen.
import { useState } from 'react'
import { TextField } from '../../ui/fields.tsx'
import type { Days } from './filter.ts'

interface DayFieldsProps {
  days: Days
  change: (days: Record<string, string>) => void
}

export function DayFields({ days, change }: DayFieldsProps) {
  return (
    <>
      <DayField name="from" label="First day (UTC)" day={days.from ?? ''} change={change} />
      <DayField name="to" label="Last day (UTC)" day={days.to ?? ''} change={change} />
    </>
  )
}

interface DayFieldProps {
  name: string
  label: string
  /** As in the address. */
  day: string
  change: (days: Record<string, string>) => void
}

/** Keeps what is typed while the field has the focus: half typed, it is no day, or another one. */
function DayField({ name, label, day, change }: DayFieldProps) {
  const [typed, setTyped] = useState(day)
  const [known, setKnown] = useState(day)
  const [isFocused, setFocused] = useState(false)
  if (known !== day) {
    setKnown(day)
    if (!isFocused) setTyped(day)
  }
  const edit = (value: string): void => {
    setTyped(value)
    change({ [name]: value })
  }
  const leave = (): void => {
    setFocused(false)
    setTyped(day)
  }
  return (
    <TextField
      name={name}
      label={label}
      type="date"
      value={typed}
      onValue={edit}
      onFocus={() => setFocused(true)}
      onBlur={leave}
    />
  )
}
