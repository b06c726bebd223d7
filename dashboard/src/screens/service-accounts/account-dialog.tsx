// Creates or changes a service account: its name, its permissions, its projects, and when it ends.
import { useQuery } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import { projectsQuery } from '../../api/queries.ts'
import { useMay, useUser } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { CheckboxField } from '../../ui/checkbox-field.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { wordsOf } from '../members/permission-words.ts'
import { refreshServiceAccounts, type ServiceAccount } from './queries.ts'

interface AccountDialogProps {
  tenantId: string
  /** Null for a new one. */
  account: ServiceAccount | null
  close: () => void
  onCreated: (key: string) => void
}

const dayMs = 86_400_000

export function AccountDialog({ tenantId, account, close, onCreated }: AccountDialogProps) {
  const may = useMay(tenantId)
  const permissions =
    useUser()
      .tenants.find(({ id }) => id === tenantId)
      ?.permissions.filter(may) ?? []
  const projects = useQuery(projectsQuery(tenantId)).data ?? []
  const submit = async (values: FormValues): Promise<void> => {
    const chosen = projects.map(({ id }) => id).filter(id => values[`project.${id}`] !== undefined)
    const body = {
      name: values['name'] ?? '',
      permissions: permissions.filter(permission => values[`permission.${permission}`] !== undefined),
      projects: chosen.length === 0 ? null : chosen,
      ...readExpiry(values['days'] ?? ''),
    }
    const path = { tenantId }
    if (account === null) {
      const { key } = await request('POST', '/auth/v1/tenants/{tenantId}/service-accounts', { path, body })
      close()
      onCreated(key)
    } else {
      const one = { ...path, serviceAccountId: account.id }
      await request('PATCH', '/auth/v1/tenants/{tenantId}/service-accounts/{serviceAccountId}', { path: one, body })
      close()
    }
    await refreshServiceAccounts(tenantId)
  }
  return (
    <Dialog title={account === null ? 'New service account' : `Service account ${account.name}`} onClose={close}>
      <Form
        submit={submit}
        submitLabel={account === null ? 'Create service account' : 'Save service account'}
        isOfStored={account !== null}
        secondary={<Button onClick={close}>Cancel</Button>}
      >
        <TextField
          name="name"
          label="Name"
          hint="What uses it, such as: deploy pipeline"
          defaultValue={account?.name ?? ''}
          autoComplete="off"
          required
          autoFocus
        />
        <Boxes title="Permissions" kind="permission" all={permissions} ticked={account?.permissions ?? []} />
        {projects.length > 0 && (
          <Boxes
            title="Only these projects (none: the whole tenant)"
            kind="project"
            all={projects.map(({ id }) => id)}
            names={new Map(projects.map(({ id, name }) => [id, name]))}
            ticked={account?.projects ?? []}
          />
        )}
        <ExpiryField isNew={account === null} />
      </Form>
    </Dialog>
  )
}

function ExpiryField({ isNew }: { isNew: boolean }) {
  return (
    <SelectField name="days" label="Expires">
      {!isNew && <option value="">As before</option>}
      <option value="0">Never</option>
      <option value="30">In 30 days</option>
      <option value="90">In 90 days</option>
      <option value="365">In a year</option>
    </SelectField>
  )
}

function readExpiry(days: string): { expires_at?: string | null } {
  if (days === '') return {}
  return { expires_at: days === '0' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString() }
}

interface BoxesProps {
  title: string
  kind: 'permission' | 'project'
  all: readonly string[]
  names?: ReadonlyMap<string, string>
  ticked: readonly string[]
}

function Boxes({ title, kind, all, names, ticked }: BoxesProps) {
  return (
    <fieldset className="grid rounded-md border border-line p-3">
      <legend className="px-1 font-medium">{title}</legend>
      {all.map(one => (
        <CheckboxField
          key={one}
          name={`${kind}.${one}`}
          label={names?.get(one) ?? wordsOf(one)}
          defaultChecked={ticked.includes(one)}
        />
      ))}
    </fieldset>
  )
}
