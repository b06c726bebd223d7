// Creates or changes a role of the tenant.
import { request } from '../../api/management.ts'
import { queryClient, sessionQuery } from '../../api/queries.ts'
import { type Permission, useMay } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { CheckboxField } from '../../ui/checkbox-field.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { wordsOf } from './permission-words.ts'
import { type Role, rolesQuery } from './queries.ts'

interface RoleDialogProps {
  tenantId: string
  /** Null for a new one. */
  role: Role | null
  /** All that there are. */
  permissions: readonly Permission[]
  close: () => void
}

export function RoleDialog({ tenantId, role, permissions, close }: RoleDialogProps) {
  const may = useMay(tenantId)
  const submit = async (values: FormValues): Promise<void> => {
    const roleName = role?.name ?? (values['name'] ?? '').trim()
    const description = (values['description'] ?? '').trim()
    const body = {
      permissions: permissions.filter(permission => values[`permission.${permission}`] !== undefined),
      description: description === '' ? null : description,
    }
    await request('PUT', '/auth/v1/tenants/{tenantId}/roles/{roleName}', { path: { tenantId, roleName }, body })
    close()
    await queryClient.invalidateQueries({ queryKey: rolesQuery(tenantId).queryKey })
    await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
  }
  return (
    <Dialog title={role === null ? 'New role' : `Role ${role.name}`} onClose={close}>
      <Form
        submit={submit}
        submitLabel="Save role"
        isOfStored={role !== null}
        secondary={<Button onClick={close}>Cancel</Button>}
      >
        {role === null && (
          <TextField
            name="name"
            label="Name"
            hint="Begins with a letter; at most 40 of a-z, 0-9 and -"
            autoComplete="off"
            required
            autoFocus
          />
        )}
        <TextField name="description" label="Description" defaultValue={role?.description ?? ''} autoComplete="off" />
        <fieldset className="grid rounded-md border border-line p-3">
          <legend className="px-1 font-medium">Permissions</legend>
          {permissions.filter(may).map(permission => (
            <CheckboxField
              key={permission}
              name={`permission.${permission}`}
              label={wordsOf(permission)}
              defaultChecked={role?.permissions.includes(permission) ?? false}
            />
          ))}
        </fieldset>
        <p className="text-sm text-soft">
          You can grant what you hold yourself. <a href="/docs/permissions">What the permissions mean</a>
        </p>
      </Form>
    </Dialog>
  )
}
