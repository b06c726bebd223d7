// Controls that belong together: their common label, a hint, and the API's message about all of them.
import { type ReactNode, useId } from 'react'
import { useFieldError } from './form.tsx'

interface FieldGroupProps {
  /** The field whose parts the controls are. */
  name: string
  label: string
  hint?: ReactNode
  children: ReactNode
}

export function FieldGroup({ name, label, hint, children }: FieldGroupProps) {
  const id = useId()
  const error = useFieldError(name)
  const describedBy = [hint === undefined ? '' : `${id}-hint`, error === null ? '' : `${id}-error`].join(' ').trim()
  return (
    <fieldset
      className="flex min-w-0 flex-col gap-3 rounded-lg border border-line p-4"
      {...(describedBy !== '' && { 'aria-describedby': describedBy })}
    >
      <legend className="px-1 text-sm font-medium">{label}</legend>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-sm text-soft">
          {hint}
        </p>
      )}
      {error !== null && (
        <p id={`${id}-error`} role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
      {children}
    </fieldset>
  )
}
