// Invites somebody to the tenant. The link is shown once; its reader becomes a member by accepting.
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { type InvitationLink, invite } from './queries.ts'
import { RoleField, readRole } from './role-field.tsx'

interface InviteDialogProps {
  tenantId: string
  close: () => void
  onInvited: (link: InvitationLink) => void
}

export function InviteDialog({ tenantId, close, onInvited }: InviteDialogProps) {
  const submit = async (values: FormValues): Promise<void> => {
    const link = await invite(tenantId, { email: values['email'] ?? '', role: readRole(values['role']) })
    close()
    onInvited(link)
  }
  return (
    <Dialog title="Invite a member" onClose={close}>
      <Form submit={submit} submitLabel="Create invitation" secondary={<Button onClick={close}>Cancel</Button>}>
        <TextField
          name="email"
          label="Email"
          // The API checks it, in the words of its error.
          type="text"
          inputMode="email"
          autoComplete="off"
          hint="You get an invitation link to pass on, valid for seven days. A new link replaces an older one."
          required
          autoFocus
        />
        <RoleField tenantId={tenantId} current="member" />
      </Form>
    </Dialog>
  )
}
