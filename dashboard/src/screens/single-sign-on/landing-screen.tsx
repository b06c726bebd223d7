// Where a single sign-on lands that did not open a session: says what to do, and links an identity to an account.
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { hasStatus } from '../../api/errors.ts'
import { request, requestWithoutSession } from '../../api/management.ts'
import { queryClient, sessionQuery } from '../../api/queries.ts'
import { type AskedFactor, endSession, signIn } from '../../api/session.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Page } from '../../ui/page.tsx'
import { NarrowPage } from '../sign-in/narrow-page.tsx'
import { SecondFactorForm } from '../sign-in/second-factor-form.tsx'
import { StepUp } from '../sign-in/step-up-dialog.tsx'
import { problems, unknownProblem } from './problems.ts'

export function SignOnLandingScreen() {
  const { problem = '' } = useSearch({ from: '/sso' })
  if (problem === 'sso_link_required') return <LinkScreen />
  const { title, advice } = problems[problem] ?? unknownProblem
  return (
    <NarrowPage>
      <Page title={title}>
        <p>{advice}</p>
        <BackToSignIn />
      </Page>
    </NarrowPage>
  )
}

function BackToSignIn() {
  return (
    <p>
      <a href="/app" className={buttonClass('primary')}>
        Back to the sign-in
      </a>
    </p>
  )
}

const pendingQuery = {
  queryKey: ['pending-link'],
  queryFn: async () => {
    try {
      return await requestWithoutSession('GET', '/auth/v1/sso/link')
    } catch (error) {
      if (hasStatus(error, 404)) return null
      throw error
    }
  },
}

function LinkScreen() {
  const pending = useQuery(pendingQuery)
  const session = useQuery(sessionQuery)
  if (pending.isPending || session.isPending) return null
  if (!pending.data) return <NothingToLink />
  const { email, issuer, tenant } = pending.data
  const user = session.data
  return (
    <NarrowPage>
      <Page title="Link your account">
        <p>
          The identity provider <bdi>{issuer}</bdi> signed you in as <bdi>{email}</bdi>. An account with this email
          exists. Sign in to it once: from then on you need the identity provider only
          {tenant === null ? '.' : ', and it reaches the tenant '}
          {tenant !== null && <bdi>{tenant.name}</bdi>}
          {tenant !== null && ' and nothing else of your account.'}
        </p>
        {user?.email === email ? (
          <LinkNow />
        ) : user ? (
          <OtherAccount email={user.email} />
        ) : (
          <SignInToLink email={email} />
        )}
      </Page>
    </NarrowPage>
  )
}

function NothingToLink() {
  return (
    <NarrowPage>
      <Page title="Link your account">
        <p>Nothing is left to link. Begin the single sign-on again.</p>
        <BackToSignIn />
      </Page>
    </NarrowPage>
  )
}

async function link(): Promise<void> {
  const { continue_url } = await request('POST', '/auth/v1/sso/link')
  location.assign(continue_url)
}

function LinkNow() {
  return (
    <>
      <Form submit={link} submitLabel="Link and sign in">
        <p>You are signed in to this account.</p>
      </Form>
      <StepUp />
    </>
  )
}

function OtherAccount({ email }: { email: string }) {
  const leave = async (): Promise<void> => {
    await endSession()
    queryClient.setQueryData(sessionQuery.queryKey, null)
  }
  return (
    <div className="flex flex-col items-start gap-3">
      <p>
        You are signed in as <bdi>{email}</bdi>, which is another account.
      </p>
      <Button onClick={() => void leave()}>Sign out</Button>
    </div>
  )
}

function SignInToLink({ email }: { email: string }) {
  const [asked, setAsked] = useState<AskedFactor | null>(null)
  // The sign-in itself shows the account as signed in, with what links it.
  const submit = async (values: FormValues): Promise<void> => setAsked(await signIn(email, values['password'] ?? ''))
  if (asked !== null) {
    return <SecondFactorForm asked={asked} done={() => setAsked(null)} cancel={() => setAsked(null)} />
  }
  return (
    <Form submit={submit} submitLabel="Sign in">
      <TextField
        name="password"
        label={`Password of ${email}`}
        type="password"
        autoComplete="current-password"
        hint="If the account has none, ask the operator for a reset link."
        required
      />
    </Form>
  )
}
