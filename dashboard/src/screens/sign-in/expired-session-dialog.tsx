// Asks a user whose session has expired to sign in again, over the page, so that nothing typed is lost. Only the same
// user can continue: the page holds their data.
import { useState } from 'react'
import { newSignIn } from '../../api/ask-user.ts'
import { queryClient, type SignedInUser } from '../../api/queries.ts'
import { type AskedFactor, signIn } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form } from '../../ui/form.tsx'
import { SecondFactorForm } from './second-factor-form.tsx'
import { SignOnAgain } from './single-sign-on.tsx'

/** Someone whom an identity provider signed in signs in there again: the account may have no password. */
export function ExpiredSessionDialog({ email, sso }: Pick<SignedInUser, 'email' | 'sso'>) {
  const [asked, setAsked] = useState<AskedFactor | null>(null)
  const cancel = () => newSignIn.end('cancelled')
  const done = async (): Promise<void> => {
    newSignIn.end('done')
    await queryClient.invalidateQueries()
  }
  const submit = async (values: Record<string, string>): Promise<void> => {
    const next = await signIn(email, values['password'] ?? '')
    if (next === null) await done()
    else setAsked(next)
  }
  return (
    <Dialog title="Your session has expired" onClose={cancel}>
      <p className="mb-4">
        Sign in again as <bdi className="font-medium">{email}</bdi> to continue.
        {sso === undefined && ' What you typed is still there.'}
      </p>
      {sso !== undefined ? (
        <SignOnAgain start={sso.start} />
      ) : asked !== null ? (
        <SecondFactorForm asked={asked} done={() => void done()} cancel={cancel} />
      ) : (
        <Form submit={submit} submitLabel="Sign in" secondary={<Button onClick={cancel}>Not now</Button>}>
          <TextField
            name="password"
            label="Password"
            type="password"
            autoComplete="current-password"
            required
            autoFocus
          />
        </Form>
      )}
    </Dialog>
  )
}
