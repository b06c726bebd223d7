// Form fields: label, hint, control, and the API's message about the value, joined so that screen readers read them.
import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'
import { useFieldError } from './form.tsx'

interface FieldProps {
  name: string
  label: string
  hint?: ReactNode
}

export const controlClass =
  'min-h-8 w-full rounded-md border border-control bg-page px-2.5 py-1 text-ink max-sm:text-[1rem] sm:text-sm aria-invalid:border-danger'

type TextFieldProps = FieldProps & Omit<ComponentProps<'input'>, 'name'> & { onValue?: (value: string) => void }

export function TextField({ name, label, hint, onValue, className, ...input }: TextFieldProps) {
  return (
    <Field name={name} label={label} hint={hint}>
      {described => (
        <input
          type="text"
          dir="auto"
          {...input}
          {...described}
          name={name}
          className={classNames(controlClass, className)}
          onChange={event => onValue?.(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

type SelectFieldProps = FieldProps & Omit<ComponentProps<'select'>, 'name'> & { onValue?: (value: string) => void }

export function SelectField({ name, label, hint, onValue, children, ...select }: SelectFieldProps) {
  return (
    <Field name={name} label={label} hint={hint}>
      {described => (
        <select
          {...select}
          {...described}
          name={name}
          className={controlClass}
          onChange={event => onValue?.(event.currentTarget.value)}
        >
          {children}
        </select>
      )}
    </Field>
  )
}

type TextAreaFieldProps = FieldProps &
  Omit<ComponentProps<'textarea'>, 'name'> & { onValue?: (value: string) => void; isCode?: boolean }

export function TextAreaField({ name, label, hint, onValue, isCode = false, ...area }: TextAreaFieldProps) {
  return (
    <Field name={name} label={label} hint={hint}>
      {described => (
        <textarea
          dir="auto"
          rows={4}
          {...area}
          {...described}
          name={name}
          className={classNames(controlClass, isCode && 'font-mono')}
          onChange={event => onValue?.(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

interface Described {
  id: string
  'aria-describedby'?: string
  'aria-invalid'?: true
}

function Field({ name, label, hint, children }: FieldProps & { children: (described: Described) => ReactNode }) {
  const id = useId()
  const error = useFieldError(name)
  const describedBy = [hint === undefined ? '' : `${id}-hint`, error === null ? '' : `${id}-error`].join(' ').trim()
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        ...(describedBy === '' ? {} : { 'aria-describedby': describedBy }),
        ...(error === null ? {} : { 'aria-invalid': true as const }),
      })}
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
    </div>
  )
}
