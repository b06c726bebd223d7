// How the user signs in: the password, passkeys, an authenticator app; and the open sessions.
import { request } from '../../api/management.ts'
import { queryClient } from '../../api/queries.ts'
import { useUser } from '../../api/session.ts'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { useToast } from '../../ui/toast.tsx'
import { AuthenticatorApp } from './authenticator-app.tsx'
import { OwnSessions } from './own-sessions.tsx'
import { Passkeys } from './passkeys.tsx'

export function AccountScreen() {
  const { email, sso } = useUser()
  if (sso?.tenant_id) return <TenantSession email={email} />
  return (
    <Page
      title="Security"
      lead={
        <>
          You are signed in as <bdi>{email}</bdi>.
        </>
      }
    >
      <Section title="Change your password">
        <PasswordForm />
      </Section>
      <Section title="Passkeys">
        <Passkeys />
      </Section>
      <Section title="Authenticator app">
        <AuthenticatorApp />
      </Section>
      <Section title="Open sessions">
        <OwnSessions />
      </Section>
    </Page>
  )
}

/** A tenant's identity provider vouches for its people in that tenant, not for whose account it is elsewhere. */
function TenantSession({ email }: { email: string }) {
  return (
    <Page
      title="Security"
      lead={
        <>
          You are signed in as <bdi>{email}</bdi> by your company’s single sign-on.
        </>
      }
    >
      <p>
        You change your password and your second factors at your identity provider. To change those of the account here,
        sign out and sign in with its own password or passkey.
      </p>
    </Page>
  )
}

function PasswordForm() {
  const toast = useToast()
  const submit = async ({ current_password = '', new_password = '', repeated = '' }: FormValues): Promise<void> => {
    if (new_password !== repeated) throw new Error('repeated must be the same as the new password')
    await request('PUT', '/auth/v1/users/current/password', { body: { current_password, new_password } })
    toast.show('Your password is changed. All your other sessions ended.')
    await queryClient.invalidateQueries()
  }
  return (
    <Form submit={submit} submitLabel="Change password" isResetAfterwards>
      <TextField
        name="current_password"
        label="Current password"
        type="password"
        autoComplete="current-password"
        required
      />
      <TextField
        name="new_password"
        label="New password"
        type="password"
        autoComplete="new-password"
        hint="At least 12 characters. All your other sessions end."
        required
      />
      <TextField name="repeated" label="New password again" type="password" autoComplete="new-password" required />
    </Form>
  )
}
