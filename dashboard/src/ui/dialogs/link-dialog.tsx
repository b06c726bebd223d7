// Shows a link that contains a secret, once.
import type { ReactNode } from 'react'
import { SecretDialog } from './secret-dialog.tsx'

interface LinkDialogProps {
  title: string
  url: string
  close: () => void
  /** What the link does, and for how long. */
  children: ReactNode
}

export function LinkDialog({ title, url, close, children }: LinkDialogProps) {
  return (
    <SecretDialog title={title} label="link" text={url} done="I have copied the link" close={close}>
      {children} Sallyport sends no mail: pass it on yourself. It is shown only here, and only once.
    </SecretDialog>
  )
}
