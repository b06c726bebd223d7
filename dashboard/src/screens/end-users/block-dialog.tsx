// Blocks an end user, with a reason for the other members of the tenant.
import { request } from '../../api/management.ts'
import { queryClient } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { allEndUsersKey } from './queries.ts'

interface BlockDialogProps {
  projectId: string
  uid: string
  close: () => void
}

export function BlockDialog({ projectId, uid, close }: BlockDialogProps) {
  const toast = useToast()
  const submit = async ({ reason = '' }: FormValues): Promise<void> => {
    const body = { reason: reason.trim() === '' ? null : reason }
    await request('PUT', '/auth/v1/projects/{projectId}/users/{uid}/block', { path: { projectId, uid }, body })
    await queryClient.invalidateQueries({ queryKey: allEndUsersKey(projectId) })
    close()
    toast.show('The user is blocked.')
  }
  return (
    <Dialog title="Block the user?" onClose={close}>
      <p className="mb-4">
        Requests of <bdi>{uid}</bdi> are rejected with 403 at once, streams in flight end within two seconds, and your
        servers cannot mint tokens for them.
      </p>
      <Form submit={submit} submitLabel="Block user" look="destroy" secondary={<Button onClick={close}>Cancel</Button>}>
        <TextField
          name="reason"
          label="Reason"
          hint="Shown only to members of the tenant. You can leave it empty."
          autoFocus
        />
      </Form>
    </Dialog>
  )
}
