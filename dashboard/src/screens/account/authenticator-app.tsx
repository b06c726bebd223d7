// The user's authenticator app and backup codes.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { request } from '../../api/management.ts'
import { ownFactorsQuery, queryClient } from '../../api/queries.ts'
import { ActionButton, Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { SecretDialog } from '../../ui/dialogs/secret-dialog.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Loaded } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { CodeField } from '../sign-in/second-factor-form.tsx'
import { QrCode } from './qr-code.tsx'

interface AppSecret {
  secret: string
  uri: string
}

const path = '/auth/v1/users/current/totp'

export function AuthenticatorApp() {
  const factors = useQuery(ownFactorsQuery)
  const [codes, setCodes] = useState<readonly string[]>([])
  const renew = async (): Promise<void> => {
    const { backup_codes } = await request('POST', '/auth/v1/users/current/backup-codes')
    await queryClient.invalidateQueries({ queryKey: ownFactorsQuery.queryKey })
    setCodes(backup_codes)
  }
  return (
    <Loaded query={factors} what="your second factors">
      {({ passkeys, totp, backup_codes_left }) => (
        <>
          <p>{totp ? 'An authenticator app is set up.' : 'You have no authenticator app.'}</p>
          {totp ? <RemoveApp /> : <AddApp show={setCodes} />}
          {(totp || passkeys > 0) && (
            <>
              <p>Backup codes left: {backup_codes_left}. Each replaces a second factor once.</p>
              <p>
                <ActionButton run={renew}>Make new backup codes</ActionButton>
              </p>
            </>
          )}
          {codes.length > 0 && (
            <SecretDialog
              title="Your backup codes"
              label="backup codes"
              text={codes.join('\n')}
              done="I have stored the codes"
              close={() => setCodes([])}
            >
              Keep them where you will find them without your device. They are shown only here, and only once; earlier
              ones no longer work.
            </SecretDialog>
          )}
        </>
      )}
    </Loaded>
  )
}

function AddApp({ show }: { show: (codes: readonly string[]) => void }) {
  const [made, setMade] = useState<AppSecret | null>(null)
  const confirm = async ({ code = '' }: FormValues): Promise<void> => {
    const { backup_codes } = await request('POST', `${path}/confirm`, { body: { code } })
    setMade(null)
    show(backup_codes)
    await queryClient.invalidateQueries()
  }
  return (
    <>
      <p>
        <ActionButton run={async () => setMade(await request('POST', path))}>Set up an authenticator app</ActionButton>
      </p>
      {made !== null && (
        <Dialog title="Set up an authenticator app" onClose={() => setMade(null)}>
          <p className="mb-3">
            Scan this code with the app, or type the key into it. Then type the code that the app shows. If it is your
            first second factor, all your other sessions end.
          </p>
          <QrCode text={made.uri} label="QR code of the key" />
          <Copyable label="key" text={made.secret} />
          <div className="mt-4">
            <Form
              submit={confirm}
              submitLabel="Confirm"
              secondary={<Button onClick={() => setMade(null)}>Cancel</Button>}
            >
              <CodeField />
            </Form>
          </div>
        </Dialog>
      )}
    </>
  )
}

function RemoveApp() {
  const toast = useToast()
  const [isAsked, setAsked] = useState(false)
  const remove = async ({ code = '' }: FormValues): Promise<void> => {
    await request('DELETE', path, { body: { code } })
    setAsked(false)
    await queryClient.invalidateQueries({ queryKey: ownFactorsQuery.queryKey })
    toast.show('The authenticator app is removed.')
  }
  return (
    <>
      <p>
        <Button onClick={() => setAsked(true)}>Remove the authenticator app</Button>
      </p>
      {isAsked && (
        <Dialog title="Remove the authenticator app?" onClose={() => setAsked(false)}>
          <Form
            submit={remove}
            submitLabel="Remove"
            look="danger"
            secondary={<Button onClick={() => setAsked(false)}>Cancel</Button>}
          >
            <CodeField />
          </Form>
        </Dialog>
      )}
    </>
  )
}
