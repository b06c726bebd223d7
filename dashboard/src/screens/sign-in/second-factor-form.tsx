// The second half of a sign-in: a passkey, a code of the app, or a backup code, by what the account has.
import { useState } from 'react'
import { askPasskey, canUsePasskeys } from '../../api/passkeys.ts'
import { type AskedFactor, proveSecondFactor } from '../../api/session.ts'
import { ActionButton, Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form } from '../../ui/form.tsx'

interface SecondFactorProps {
  asked: AskedFactor
  done: () => void
  cancel: () => void
}

export function SecondFactorForm({ asked: { challenge, methods }, done, cancel }: SecondFactorProps) {
  const hasApp = methods.includes('totp')
  const [isBackup, setBackup] = useState(!hasApp)
  const byPasskey = async (): Promise<void> => {
    await proveSecondFactor(challenge, { passkey: await askPasskey({ challenge }) })
    done()
  }
  const byCode = async ({ code = '', backup_code = '' }: Record<string, string>): Promise<void> => {
    await proveSecondFactor(challenge, isBackup ? { backup_code } : { code })
    done()
  }
  return (
    <div className="flex flex-col gap-4">
      {methods.includes('passkey') && canUsePasskeys() && (
        <p>
          <ActionButton look="primary" run={byPasskey}>
            Use a passkey
          </ActionButton>
        </p>
      )}
      {(hasApp || methods.includes('backup_code')) && (
        <Form submit={byCode} submitLabel="Continue" secondary={<Button onClick={cancel}>Cancel</Button>}>
          {isBackup ? (
            <TextField key="backup" name="backup_code" label="Backup code" autoComplete="off" required autoFocus />
          ) : (
            <CodeField />
          )}
        </Form>
      )}
      {hasApp && methods.includes('backup_code') && (
        <p>
          <Button onClick={() => setBackup(!isBackup)}>
            {isBackup ? 'Use the authenticator app' : 'Use a backup code'}
          </Button>
        </p>
      )}
    </div>
  )
}

/** The six digits that the authenticator app shows. */
export function CodeField() {
  return (
    <TextField
      key="code"
      name="code"
      label="Code of your authenticator app"
      inputMode="numeric"
      autoComplete="one-time-code"
      required
      autoFocus
    />
  )
}
