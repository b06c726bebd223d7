// Creates a credential of a program: its name, what it may do, and when it ends.
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { useOperator } from './operator-context.tsx'
import { refreshOperators } from './queries.ts'

interface NewCredentialDialogProps {
  close: () => void
  onCreated: (secret: string) => void
}

const dayMs = 86_400_000

export function NewCredentialDialog({ close, onCreated }: NewCredentialDialogProps) {
  const operator = useOperator()
  const submit = async ({ name = '', scope, days = '0' }: FormValues): Promise<void> => {
    const expires_at = days === '0' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString()
    const body = { name, scope: scope === 'write' ? ('write' as const) : ('read' as const), expires_at }
    const { secret } = await operator.request('POST', '/v1/admin/credentials', { body })
    close()
    onCreated(secret)
    await refreshOperators()
  }
  return (
    <Dialog title="New credential" onClose={close}>
      <Form submit={submit} submitLabel="Create credential" secondary={<Button onClick={close}>Cancel</Button>}>
        <TextField
          name="name"
          label="Name"
          hint="What uses it, such as: Terraform"
          autoComplete="off"
          required
          autoFocus
        />
        <SelectField
          name="scope"
          label="It may"
          defaultValue="read"
          hint="It manages neither operators nor credentials."
        >
          <option value="read">read</option>
          <option value="write">read and write</option>
        </SelectField>
        <SelectField name="days" label="Expires">
          <option value="0">Never</option>
          <option value="30">In 30 days</option>
          <option value="90">In 90 days</option>
          <option value="365">In a year</option>
        </SelectField>
      </Form>
    </Dialog>
  )
}
