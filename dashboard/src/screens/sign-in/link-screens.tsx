// The pages behind the links for invitations and password resets. Each ends with a session.
import { useNavigate } from '@tanstack/react-router'
import { hasStatus } from '../../api/errors.ts'
import { requestWithoutSession } from '../../api/management.ts'
import { queryClient, sessionQuery } from '../../api/queries.ts'
import { TextField } from '../../ui/fields.tsx'
import { Form } from '../../ui/form.tsx'
import { Page } from '../../ui/page.tsx'
import { takeLinkToken } from './link-token.ts'
import { NarrowPage } from './narrow-page.tsx'

const goneMessage = 'This link was used already, has expired, or is incomplete. Ask for a new one.'

export function InviteScreen() {
  return (
    <LinkScreen
      title="Accept your invitation"
      path="/auth/v1/invitations/accept"
      label="Password"
      hint="At least 12 characters. If you have an account already, enter its password."
      action="Accept"
    />
  )
}

export function ResetScreen() {
  return (
    <LinkScreen
      title="Choose a new password"
      path="/auth/v1/password-resets/accept"
      label="New password"
      hint="At least 12 characters. All other sessions of your account end."
      action="Save"
    />
  )
}

interface LinkScreenProps {
  title: string
  path: '/auth/v1/invitations/accept' | '/auth/v1/password-resets/accept'
  label: string
  hint: string
  action: string
}

function LinkScreen({ title, path, label, hint, action }: LinkScreenProps) {
  const navigate = useNavigate()
  const submit = async (values: Record<string, string>): Promise<void> => {
    const body = { token: takeLinkToken(), password: values['password'] ?? '' }
    const answer = await requestWithoutSession('POST', path, { query: { cookie: 'true' }, body }).catch(error => {
      throw hasStatus(error, 404) ? new Error(goneMessage) : error
    })
    // Another user may have been signed in here before.
    queryClient.clear()
    queryClient.setQueryData(sessionQuery.queryKey, answer.user)
    await navigate({ to: '/app', replace: true })
  }
  return (
    <NarrowPage>
      <Page title={title}>
        <Form submit={submit} submitLabel={action}>
          <TextField name="password" label={label} type="password" autoComplete="new-password" hint={hint} required />
        </Form>
      </Page>
    </NarrowPage>
  )
}
