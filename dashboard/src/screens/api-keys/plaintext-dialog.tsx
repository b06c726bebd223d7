// Shows the plaintext of a new API key, once.
import { SecretDialog } from '../../ui/dialogs/secret-dialog.tsx'

export function PlaintextDialog({ apiKey, close }: { apiKey: string; close: () => void }) {
  return (
    <SecretDialog title="Your new API key" label="API key" text={apiKey} done="I have stored the key" close={close}>
      Copy it now and store it on your server: it is shown only here, and only once.
    </SecretDialog>
  )
}
