// A form: sends its values, and shows an error of the API at the field that its message names, else above the buttons.
// Its fields keep what was typed until the form is gone.
import { createContext, type ReactNode, useContext, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { messageOf } from '../api/errors.ts'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { describeMessage } from './describe-message.ts'
import { useToast } from './toast.tsx'

/** By the name of the field; a box that is not ticked is missing. */
export type FormValues = Record<string, string>

interface FormProps {
  submit: (values: FormValues) => Promise<unknown>
  /** Missing if a button elsewhere sends the form. */
  submitLabel?: string
  /** For a button elsewhere. */
  id?: string
  /** Instead of emptying the fields, when the form is reset. */
  undo?: () => void
  look?: 'primary' | 'plain' | 'danger' | 'destroy'
  isDisabled?: boolean
  /** The fields begin with what is stored: the button is off until one of them differs. */
  isOfStored?: boolean | undefined
  /** Empties the fields after success. */
  isResetAfterwards?: boolean
  /** For fields beside each other. */
  isWide?: boolean
  /** Beside the submit button. */
  secondary?: ReactNode
  children?: ReactNode
}

interface FieldError {
  name: string
  message: string
}

const FieldErrorContext = createContext<FieldError | null>(null)

/** The API's message about the field, or null. */
export function useFieldError(name: string): string | null {
  const error = useContext(FieldErrorContext)
  return error?.name === name ? error.message : null
}

export function Form({ submit, submitLabel, look = 'primary', secondary, children, undo, ...options }: FormProps) {
  const toast = useToast()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<FieldError | null>(null)
  const changed = useChanged(options.isOfStored === true)
  const sendLater = useSendLater(isBusy)
  const send = async (element: HTMLFormElement, submitter: HTMLElement | null): Promise<void> => {
    setBusy(true)
    setError(null)
    try {
      const sent = changed.read()
      await submit(readValues(element, submitter))
      changed.keep(sent)
      if (options.isResetAfterwards) element.reset()
    } catch (cause) {
      const message = messageOf(cause)
      // The user left the dialog or the screen meanwhile.
      if (!element.isConnected) return toast.showError(message)
      const found = findField(element, message)
      if (found === null) return submitLabel === undefined ? toast.showError(message) : setError({ name: '', message })
      setError(errorAt(found, message))
      focusOn(found.field)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      ref={changed.form}
      id={options.id}
      onInput={changed.compare}
      className={classNames(
        'flex flex-col gap-4',
        submitLabel !== undefined && (options.isWide ? 'max-w-4xl' : 'max-w-xl'),
      )}
      onReset={event => {
        if (undo === undefined) return
        event.preventDefault()
        undo()
      }}
      onSubmit={event => {
        event.preventDefault()
        // In a dialog, React passes the event on to a form around it.
        event.stopPropagation()
        if (!isBusy) void send(event.currentTarget, (event.nativeEvent as SubmitEvent).submitter)
        else if (submitLabel === undefined) sendLater(event.currentTarget)
      }}
    >
      <FieldErrorContext value={error}>{children}</FieldErrorContext>
      <div role="alert" className="empty:-mt-4">
        {error?.name === '' && <FormError message={error.message} />}
      </div>
      <SubmitRow
        {...{ label: submitLabel, look, isBusy, secondary }}
        isDisabled={options.isDisabled || changed.isSame}
      />
    </form>
  )
}

function errorAt({ path, field }: NonNullable<ReturnType<typeof findField>>, message: string): FieldError {
  // A part is said in full at what it is part of.
  const isWhole = field.name === path
  return { name: field.name, message: isWhole ? describeMessage(message, path, labelOf(field)) : message }
}

/** Sends a form again once it is no longer busy: what the bar of the draft saves may have changed since. */
function useSendLater(isBusy: boolean): (form: HTMLFormElement) => void {
  const asked = useRef<HTMLFormElement | null>(null)
  useEffect(() => {
    if (isBusy) return
    asked.current?.requestSubmit()
    asked.current = null
  }, [isBusy])
  return form => {
    asked.current = form
  }
}

function focusOn(field: HTMLElement): void {
  const folded = field.closest('details')
  if (folded !== null) folded.open = true
  field.focus()
}

/** Whether the fields differ from what they began with, or from what was sent last. */
function useChanged(isWanted: boolean) {
  const form = useRef<HTMLFormElement>(null)
  const stored = useRef<string | null>(null)
  const [isSame, setSame] = useState(isWanted)
  const read = (): string | null => (form.current === null ? null : JSON.stringify(readValues(form.current)))
  const compare = (): void => {
    if (!isWanted) return
    const now = read()
    stored.current ??= now
    setSame(now === stored.current)
  }
  // Also after a button has added or removed a field.
  useLayoutEffect(compare)
  const keep = (sent: string | null): void => {
    stored.current = sent
    compare()
  }
  return { form, isSame: isWanted && isSame, read, compare, keep }
}

interface SubmitRowProps {
  label: string | undefined
  look: FormProps['look']
  isBusy: boolean
  isDisabled: boolean
  secondary: ReactNode
}

function SubmitRow({ label, look, isBusy, isDisabled, secondary }: SubmitRowProps) {
  // Enter in a field sends the form.
  if (label === undefined) return <input type="submit" hidden />
  return (
    <div className="flex flex-wrap gap-3">
      <Button type="submit" look={look} isBusy={isBusy} disabled={isDisabled}>
        {label}
      </Button>
      {secondary}
    </div>
  )
}

function FormError({ message }: { message: string }) {
  return (
    <p dir="auto" className="rounded-md bg-danger-tint px-3 py-2 text-sm text-danger">
      {message}
    </p>
  )
}

/** With the name and the value of the button that sends the form, if it has any. */
export function readValues(form: HTMLFormElement, submitter: HTMLElement | null = null): FormValues {
  const entries = [...new FormData(form, submitter)]
  return Object.fromEntries(entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])))
}

/**
 * Messages about a field begin with its name: `name must be …`, `routes.targets[0].model must be …`. A part without a
 * control of its own is shown at what it is part of: `custom_entities[0].words must be …`. One message names none.
 */
function findField(form: HTMLFormElement, message: string): { path: string; field: HTMLInputElement } | null {
  const [start = ''] = /^\w[\w.[\]]*(?= )/.exec(message) ?? []
  const path = message.startsWith("Invalid origin '") ? 'cors_origins[]' : start
  for (let name = path; name !== ''; name = partOf(name)) {
    const found = form.elements.namedItem(name)
    if (found instanceof HTMLElement && 'name' in found) return { path, field: found as HTMLInputElement }
  }
  return null
}

/** Of the control, or of the group that is one control to people. */
function labelOf(field: HTMLInputElement): string {
  const label = field.labels?.[0] ?? field.closest('fieldset')?.querySelector('legend')
  return label?.textContent ?? field.name
}

/** `routes.targets[0]` of `routes.targets[0].model`; empty for a whole field. */
function partOf(path: string): string {
  const end = Math.max(path.lastIndexOf('.'), path.lastIndexOf('['), 0)
  return path.slice(0, end)
}
