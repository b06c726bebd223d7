// Creates an API key.
import { request } from '../../api/management.ts'
import { apiKeysQuery, queryClient } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { readRole } from './keys.ts'

interface NewKeyDialogProps {
  projectId: string
  close: () => void
  onCreated: (plaintext: string) => void
}

const dayMs = 86_400_000

export function NewKeyDialog({ projectId, close, onCreated }: NewKeyDialogProps) {
  const submit = async (values: FormValues): Promise<void> => {
    const role = readRole(values['role'])
    const days = Number(values['days'])
    const expires_at = days === 0 ? null : new Date(Date.now() + days * dayMs).toISOString()
    const body = { name: values['name'] ?? '', role, expires_at }
    const created = await request('POST', '/auth/v1/projects/{projectId}/api-keys', { path: { projectId }, body })
    close()
    onCreated(created.api_key)
    await queryClient.invalidateQueries({ queryKey: apiKeysQuery(projectId).queryKey })
  }
  return (
    <Dialog title="New API key" onClose={close}>
      <Form submit={submit} submitLabel="Create API key" secondary={<Button onClick={close}>Cancel</Button>}>
        <TextField name="name" label="Name" hint="Where the key is used, such as: backend" required autoFocus />
        <SelectField name="role" label="Role" hint="What the tokens may do that are minted with the key.">
          <option value="user">user: each end user, with their own data</option>
          <option value="dashboard-service">dashboard-service: reads the data of all end users</option>
          <option value="admin">admin: reads and changes the data of all end users</option>
        </SelectField>
        <SelectField name="days" label="Expires" hint="Tokens that were minted before stay valid.">
          <option value="0">Never</option>
          <option value="30">In 30 days</option>
          <option value="90">In 90 days</option>
          <option value="365">In a year</option>
        </SelectField>
      </Form>
    </Dialog>
  )
}
