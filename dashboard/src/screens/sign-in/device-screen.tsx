// The page on which somebody signs in a program that has no browser, by the code that the program shows.
import type { ManagementRoutes } from '@sallyport/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { request } from '../../api/management.ts'
import { type SignedInUser, sessionQuery } from '../../api/queries.ts'
import { ActionButton } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { NarrowPage } from './narrow-page.tsx'
import { SignInScreen } from './sign-in-screen.tsx'
import { StepUp } from './step-up-dialog.tsx'

type Asked = ManagementRoutes['GET /auth/v1/device']['output'] & { code: string }
type State = { step: 'code' } | { step: 'decision'; asked: Asked } | { step: 'end'; words: string }

export function DeviceScreen() {
  const { data: user, isPending } = useQuery(sessionQuery)
  if (isPending) return null
  return user ? <Steps user={user} /> : <SignInScreen />
}

function Steps({ user }: { user: SignedInUser }) {
  const [state, setState] = useState<State>({ step: 'code' })
  return (
    <NarrowPage>
      <Page title="Sign in a program">
        {state.step === 'code' && <CodeForm onFound={asked => setState({ step: 'decision', asked })} />}
        {state.step === 'decision' && (
          <Decision user={user} asked={state.asked} onEnd={words => setState({ step: 'end', words })} />
        )}
        {state.step === 'end' && <p role="status">{state.words}</p>}
      </Page>
      <StepUp />
    </NarrowPage>
  )
}

function CodeForm({ onFound }: { onFound: (asked: Asked) => void }) {
  const [given] = useState(() => new URLSearchParams(location.hash.slice(1)).get('code') ?? '')
  const find = async (values: FormValues): Promise<void> => {
    const code = values['user_code'] ?? ''
    onFound({ ...(await request('GET', '/auth/v1/device', { query: { user_code: code } })), code })
  }
  return (
    <Form submit={find} submitLabel="Continue">
      <TextField
        name="user_code"
        label="Code"
        hint="The program shows it. If you did not start a program just now, close this page."
        defaultValue={given}
        autoComplete="off"
        spellCheck={false}
        required
        autoFocus
      />
    </Form>
  )
}

interface DecisionProps {
  user: SignedInUser
  asked: Asked
  onEnd: (words: string) => void
}

function Decision({ user: { email, sso }, asked, onEnd }: DecisionProps) {
  const body = { user_code: asked.code }
  const approve = async (): Promise<void> => {
    await request('POST', '/auth/v1/device/approve', { body })
    onEnd('The program is signed in. You can close this page.')
  }
  const deny = async (): Promise<void> => {
    await request('POST', '/auth/v1/device/deny', { body })
    onEnd('The program is not signed in. You can close this page.')
  }
  return (
    <>
      <p>
        <bdi className="font-medium">{asked.client_name}</bdi> at the address <bdi>{asked.address}</bdi> asked at{' '}
        <Time iso={asked.created_at} /> to be signed in as <bdi className="font-medium">{email}</bdi>.
      </p>
      <p>
        {sso === undefined
          ? 'It could do all that you can do here, for 30 days. You can end its session before, under your account.'
          : 'It could do all that you can do here, until your sign-in ends, at most 12 hours after it began.'}{' '}
        Approve only a program that you started yourself, and that shows this code: <code>{asked.code}</code>
      </p>
      <div className="flex flex-wrap gap-3">
        <ActionButton look="primary" run={approve}>
          Approve
        </ActionButton>
        <ActionButton run={deny}>Deny</ActionButton>
      </div>
    </>
  )
}
