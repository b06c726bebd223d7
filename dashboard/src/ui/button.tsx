// Buttons and links that look like buttons. A button that runs something shows that it does, and cannot be pressed
// twice.
import { type ComponentProps, type ReactNode, useState } from 'react'
import { stepUp } from '../api/ask-user.ts'
import { messageOf } from '../api/errors.ts'
import { classNames } from './class-names.ts'
import { useToast } from './toast.tsx'

/** `danger` leads to something that breaks; `destroy` does it. */
type Look = 'primary' | 'plain' | 'danger' | 'destroy'

const looks: Record<Look, string> = {
  primary: 'bg-accent text-on-accent border-accent hover:brightness-110',
  plain: 'bg-page text-ink border-line hover:bg-raised',
  danger: 'bg-page text-danger border-line hover:bg-danger-tint',
  destroy: 'bg-danger text-on-danger border-danger hover:brightness-110',
}

/** In a narrow column, the text breaks between words only. */
export function buttonClass(look: Look = 'plain'): string {
  return classNames(
    'inline-flex min-h-8 items-center justify-center gap-1.5 rounded-md border px-3 py-1 text-sm font-medium no-underline wrap-break-word shadow-xs',
    'aria-disabled:opacity-60 aria-disabled:cursor-default',
    looks[look],
  )
}

/**
 * One of several choices, each an address; the chosen one has `aria-current`. The router writes `page` over the `true`
 * of a link to the address that is shown.
 */
export const choiceClass = classNames(
  buttonClass(),
  '[&:is([aria-current=true],[aria-current=page])]:border-accent [&:is([aria-current=true],[aria-current=page])]:bg-accent-tint',
)

interface ButtonProps extends ComponentProps<'button'> {
  look?: Look
  /** Shows that the button's work is in progress. */
  isBusy?: boolean
}

/**
 * A button that is off keeps the focus, because it often goes off when it is pressed: with the attribute `disabled`,
 * the keyboard would begin at the top of the page again.
 */
export function Button({ look = 'plain', isBusy = false, className, children, disabled, ...rest }: ButtonProps) {
  const isOff = disabled === true || isBusy
  return (
    <button
      type="button"
      {...rest}
      {...(isOff && { 'aria-disabled': true, onClick: event => event.preventDefault() })}
      aria-busy={isBusy}
      className={classNames(buttonClass(look), className)}
    >
      {isBusy && <Spinner />}
      {children}
    </button>
  )
}

interface ActionButtonProps extends Omit<ButtonProps, 'onClick' | 'isBusy'> {
  /** Its error is shown as a toast. */
  run: () => Promise<unknown>
  children: ReactNode
}

export function ActionButton({ run, ...rest }: ActionButtonProps) {
  const [isBusy, setBusy] = useState(false)
  const toast = useToast()
  const start = async (): Promise<void> => {
    setBusy(true)
    try {
      await run()
    } catch (error) {
      if (!stepUp.isCancelled(error)) toast.showError(messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  return <Button {...rest} isBusy={isBusy} onClick={() => void start()} />
}

export function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="inline-block size-3.5 motion-safe:animate-spin rounded-full border-2 border-current border-t-transparent"
    />
  )
}
