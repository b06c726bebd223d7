// Asks who uses the session, before something that a stolen session must not do. What the user did then goes on.
import type { ManagementRoutes } from '@sallyport/sdk'
import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { stepUp } from '../../api/ask-user.ts'
import { request } from '../../api/management.ts'
import { askPasskey, canUsePasskeys } from '../../api/passkeys.ts'
import { useUser } from '../../api/session.ts'
import { ActionButton, Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form } from '../../ui/form.tsx'
import { Loaded } from '../../ui/states.tsx'
import { CodeField } from './second-factor-form.tsx'
import { SignOnAgain } from './single-sign-on.tsx'

type Options = ManagementRoutes['POST /auth/v1/sessions/current/reauthenticate/options']['output']
type Input = NonNullable<ManagementRoutes['POST /auth/v1/sessions/current/reauthenticate']['input']>
type Proof = NonNullable<Input['body']>

const askOptions = () => request('POST', '/auth/v1/sessions/current/reauthenticate/options')

async function prove(body: Proof): Promise<void> {
  await request('POST', '/auth/v1/sessions/current/reauthenticate', { body })
  stepUp.end('done')
}

/** Stands beside every screen that calls the API with a session: nothing else answers a call that asks. */
export function StepUp() {
  const isAsked = useSyncExternalStore(stepUp.subscribe, stepUp.isAsked)
  return isAsked && <StepUpDialog />
}

function StepUpDialog() {
  // Asked for anew each time: a challenge works once, for five minutes.
  const options = useQuery({
    queryKey: ['step-up'],
    queryFn: askOptions,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Dialog title="Confirm that it is you" onClose={() => stepUp.end('cancelled')}>
      <p className="mb-4">Your last sign-in is more than ten minutes ago.</p>
      <Loaded query={options} what="how you can sign in">
        {({ methods }) => <Proofs methods={methods} />}
      </Loaded>
    </Dialog>
  )
}

function Proofs({ methods }: Pick<Options, 'methods'>) {
  const { sso } = useUser()
  const byPasskey = async (): Promise<void> => {
    const { passkey } = await askOptions()
    await prove({ passkey: await askPasskey(passkey) })
  }
  const cancel = <Button onClick={() => stepUp.end('cancelled')}>Not now</Button>
  const hasPasskey = methods.includes('passkey') && canUsePasskeys()
  return (
    <div className="flex flex-col gap-4">
      {methods.some(method => method !== 'sso') && <p>What you were doing goes on when you have confirmed it.</p>}
      {sso !== undefined && <SignOnAgain start={sso.start} />}
      {hasPasskey && (
        <p>
          <ActionButton look="primary" run={byPasskey}>
            Use a passkey
          </ActionButton>
        </p>
      )}
      {methods.includes('totp') && (
        <Form submit={({ code = '' }) => prove({ code })} submitLabel="Confirm with the code" secondary={cancel}>
          <CodeField />
        </Form>
      )}
      {!methods.includes('totp') && methods.includes('password') && (
        <Form
          submit={({ password = '' }) => prove({ password })}
          submitLabel="Confirm with the password"
          secondary={cancel}
        >
          <TextField name="password" label="Password" type="password" autoComplete="current-password" required />
        </Form>
      )}
      {!methods.includes('totp') && !methods.includes('password') && <p>{cancel}</p>}
    </div>
  )
}
