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

const isLocal = (url: string): boolean => /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(new URL(url).hostname)

export function LinkDialog({ title, url, close, children }: LinkDialogProps) {
  return (
    <SecretDialog title={title} label="link" text={url} done="I have copied the link" close={close}>
      {children} Sallyport sends no mail: pass it on yourself. It is shown only here, and only once.
      {isLocal(url) && ' It opens on this machine alone; with BASE_URL the installation has an address for others.'}
    </SecretDialog>
  )
}
