// Shows a link that contains a secret, once. Escape does not close it, because the link would be lost.
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Copyable } from './copyable.tsx'
import { Dialog } from './dialog.tsx'

interface LinkDialogProps {
  title: string
  url: string
  close: () => void
  /** What the link does, and for how long. */
  children: ReactNode
}

export function LinkDialog({ title, url, close, children }: LinkDialogProps) {
  return (
    <Dialog title={title}>
      <p className="mb-3">
        {children} Sallyport sends no mail: pass it on yourself. It is shown only here, and only once.
      </p>
      <Copyable label="link" text={url} />
      <p className="mt-4">
        <Button look="primary" onClick={close}>
          I have copied the link
        </Button>
      </p>
    </Dialog>
  )
}
