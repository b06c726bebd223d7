// The pages behind the links for invitations and password resets. Each ends with a session.
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { hasStatus } from '../../api/errors.ts'
import { request, requestWithoutSession } from '../../api/management.ts'
import { queryClient, type SignedInUser, sessionQuery } from '../../api/queries.ts'
import { endSession } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form } from '../../ui/form.tsx'
import { Page } from '../../ui/page.tsx'
import { takeLinkToken } from './link-token.ts'
import { NarrowPage } from './narrow-page.tsx'

const goneMessage = 'This link was used already, has expired, or is incomplete. Ask for a new one.'

export function InviteScreen() {
  const { data: user, isPending } = useQuery(sessionQuery)
  if (isPending) return null
  return user ? <AcceptSignedIn email={user.email} /> : <AcceptWithPassword />
}

function AcceptWithPassword() {
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

/** The session proves the email, so no password is needed. */
function AcceptSignedIn({ email }: { email: string }) {
  const enter = useEnter()
  /** The page stays, with the link's secret, and asks for a password. */
  const signOut = async (): Promise<void> => {
    await endSession()
    queryClient.setQueryData(sessionQuery.queryKey, null)
  }
  const accept = async (): Promise<void> => {
    const body = { token: takeLinkToken() }
    const { user } = await request('POST', '/auth/v1/invitations/accept', { body }).catch(explain)
    await enter(user)
  }
  return (
    <NarrowPage>
      <Page title="Accept your invitation">
        <Form
          submit={accept}
          submitLabel={`Accept as ${email}`}
          secondary={<Button onClick={signOut}>Sign out</Button>}
        >
          <p>
            You are signed in as <bdi>{email}</bdi>. If the invitation is for another email, sign out first.
          </p>
        </Form>
      </Page>
    </NarrowPage>
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

/** Another user may have been signed in here before. */
function useEnter() {
  const navigate = useNavigate()
  return async (user: SignedInUser): Promise<void> => {
    queryClient.clear()
    queryClient.setQueryData(sessionQuery.queryKey, user)
    await navigate({ to: '/app', replace: true })
  }
}

function explain(error: unknown): never {
  throw hasStatus(error, 404) ? new Error(goneMessage) : error
}

function LinkScreen({ title, path, label, hint, action }: LinkScreenProps) {
  const enter = useEnter()
  const submit = async (values: Record<string, string>): Promise<void> => {
    const body = { token: takeLinkToken(), password: values['password'] ?? '' }
    const { user } = await requestWithoutSession('POST', path, { query: { cookie: 'true' }, body }).catch(explain)
    await enter(user)
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
