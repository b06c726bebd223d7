// Shows the plaintext of a new API key, once. Escape does not close it, because the key would be lost.
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { Dialog } from '../../ui/dialog.tsx'

export function PlaintextDialog({ apiKey, close }: { apiKey: string; close: () => void }) {
  return (
    <Dialog title="Your new API key">
      <p className="mb-3">Copy it now and store it on your server: it is shown only here, and only once.</p>
      <Copyable label="API key" text={apiKey} />
      <p className="mt-4">
        <Button look="primary" onClick={close}>
          I have stored the key
        </Button>
      </p>
    </Dialog>
  )
}
