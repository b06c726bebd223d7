// Asks a user whose session has expired to sign in again, over the page, so that nothing typed is lost. Only the same
// user can continue: the page holds their data.
import { endWaiting } from '../../api/expired-session.ts'
import { queryClient } from '../../api/queries.ts'
import { signIn } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form } from '../../ui/form.tsx'

export function ExpiredSessionDialog({ email }: { email: string }) {
  const submit = async (values: Record<string, string>): Promise<void> => {
    await signIn(email, values['password'] ?? '')
    endWaiting('signed-in')
    await queryClient.invalidateQueries()
  }
  return (
    <Dialog title="Your session has expired" onClose={() => endWaiting('cancelled')}>
      <p className="mb-4">
        Sign in again as <bdi className="font-medium">{email}</bdi> to continue. What you typed is still there.
      </p>
      <Form
        submit={submit}
        submitLabel="Sign in"
        secondary={<Button onClick={() => endWaiting('cancelled')}>Not now</Button>}
      >
        <TextField
          name="password"
          label="Password"
          type="password"
          autoComplete="current-password"
          required
          autoFocus
        />
      </Form>
    </Dialog>
  )
}
