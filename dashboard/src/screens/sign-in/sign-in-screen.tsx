// Sign in: with a passkey, or with email and password and, if the account has one, a second factor. Stays at the
// address that was asked for.
import { useState } from 'react'
import { canUsePasskeys } from '../../api/passkeys.ts'
import { type AskedFactor, signIn, signInWithPasskey } from '../../api/session.ts'
import { ActionButton } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form } from '../../ui/form.tsx'
import { Page } from '../../ui/page.tsx'
import { NarrowPage } from './narrow-page.tsx'
import { SecondFactorForm } from './second-factor-form.tsx'
import { SingleSignOn } from './single-sign-on.tsx'

export function SignInScreen() {
  const [asked, setAsked] = useState<AskedFactor | null>(null)
  return (
    <NarrowPage>
      <Page title="Sign in">
        {asked === null ? (
          <>
            <PasswordForm ask={setAsked} />
            <SingleSignOn />
          </>
        ) : (
          <SecondFactorForm asked={asked} done={() => setAsked(null)} cancel={() => setAsked(null)} />
        )}
        <details className="text-soft">
          <summary className="py-1">No password yet, or forgot it?</summary>
          <p>Ask an owner of your tenant or the operator for a reset link.</p>
          <p>
            If you have just installed Sallyport: the first start created a user. Its password is in the file{' '}
            <code>initial-password</code> of the data folder, unless that was deleted.
          </p>
        </details>
      </Page>
    </NarrowPage>
  )
}

function PasswordForm({ ask }: { ask: (asked: AskedFactor | null) => void }) {
  return (
    <>
      {canUsePasskeys() && (
        <p>
          <ActionButton run={signInWithPasskey}>Use a passkey</ActionButton>
        </p>
      )}
      <Form
        submit={async values => ask(await signIn(values['email'] ?? '', values['password'] ?? ''))}
        submitLabel="Sign in"
      >
        <TextField name="email" label="Email" type="email" autoComplete="username" required />
        <TextField name="password" label="Password" type="password" autoComplete="current-password" required />
      </Form>
    </>
  )
}
