// Shows a secret, once. Escape does not close it, because the secret would be lost.
import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import { Copyable } from '../copyable.tsx'
import { Dialog } from './dialog.tsx'

interface SecretDialogProps {
  title: string
  /** What is copied, such as `API key`. */
  label: string
  text: string
  /** The button that closes it, such as `I have stored the key`. */
  done: string
  close: () => void
  /** What the secret is for, and that it is shown once. */
  children: ReactNode
}

export function SecretDialog({ title, label, text, done, close, children }: SecretDialogProps) {
  return (
    <Dialog title={title}>
      <p className="mb-3">{children}</p>
      <Copyable label={label} text={text} />
      <p className="mt-4">
        <Button look="primary" onClick={close}>
          {done}
        </Button>
      </p>
    </Dialog>
  )
}
