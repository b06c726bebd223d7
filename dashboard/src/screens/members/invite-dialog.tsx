// Adds somebody to the tenant. An email without an account gets an invitation, whose link is shown once.
import { request } from '../../api/management.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { refreshPeople } from './queries.ts'
import { RoleField, readRole } from './role-field.tsx'

export interface InvitationLink {
  email: string
  url: string
}

interface InviteDialogProps {
  tenantId: string
  close: () => void
  onInvited: (link: InvitationLink) => void
}

export function InviteDialog({ tenantId, close, onInvited }: InviteDialogProps) {
  const toast = useToast()
  const submit = async (values: FormValues): Promise<void> => {
    const body = { email: values['email'] ?? '', role: readRole(values['role']) }
    const added = await request('POST', '/auth/v1/tenants/{tenantId}/members', { path: { tenantId }, body })
    close()
    if (added.invite_url === undefined) toast.show(`${added.email} has an account and is a member of the tenant now.`)
    else onInvited({ email: added.email, url: added.invite_url })
    await refreshPeople(tenantId)
  }
  return (
    <Dialog title="Add a member" onClose={close}>
      <Form submit={submit} submitLabel="Add member" secondary={<Button onClick={close}>Cancel</Button>}>
        <TextField
          name="email"
          label="Email"
          // The API checks it, in the words of its error.
          type="text"
          inputMode="email"
          autoComplete="off"
          hint="Somebody without an account gets an invitation link, valid for seven days. A new link replaces an older one."
          required
          autoFocus
        />
        <RoleField current="member" />
      </Form>
    </Dialog>
  )
}
