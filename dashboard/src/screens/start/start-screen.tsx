// The first steps: a tenant and a project.
import { useNavigate } from '@tanstack/react-router'
import { request } from '../../api/management.ts'
import { queryClient, sessionQuery } from '../../api/queries.ts'
import { useUser } from '../../api/session.ts'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Page } from '../../ui/page.tsx'

export function StartScreen() {
  const { tenants } = useUser()
  const navigate = useNavigate()
  const submit = async ({ tenant = '', tenant_name = '', name = '' }: FormValues): Promise<void> => {
    const created = tenant === '' ? await request('POST', '/auth/v1/tenants', { body: { name: tenant_name } }) : null
    const tenantId = created?.id ?? tenant
    if (created !== null) await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
    const path = '/auth/v1/tenants/{tenantId}/projects'
    const project = await request('POST', path, { path: { tenantId }, body: { name } })
    await navigate({ to: '/app/projects/$projectId', params: { projectId: project.id } })
  }
  return (
    <Page title="First steps" lead="A tenant is a company or a team; a project is one application of it.">
      <Form submit={submit} submitLabel="Create project">
        {tenants.length > 0 && (
          <SelectField name="tenant" label="Tenant">
            {tenants.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
            <option value="">New tenant</option>
          </SelectField>
        )}
        <TextField name="tenant_name" label="Name of the tenant" />
        <TextField name="name" label="Name of the project" required />
      </Form>
    </Page>
  )
}
