// Creates a project, and a tenant for it if the user has none.
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { request } from '../../api/management.ts'
import { installationQuery, projectsQuery, queryClient, sessionQuery } from '../../api/queries.ts'
import { useUser } from '../../api/session.ts'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Page } from '../../ui/page.tsx'

export function StartScreen() {
  const tenants = useUser().tenants.filter(({ permissions }) => permissions.includes('project:write'))
  const [tenantId, setTenantId] = useState(tenants[0]?.id ?? '')
  const { data: installation } = useQuery(installationQuery)
  const byOperator = installation?.tenant_creation === 'operator'
  const navigate = useNavigate()
  const submit = async (values: FormValues): Promise<void> => {
    const id = tenantId === '' ? await createTenant(values['tenant_name'] ?? '') : tenantId
    // The form offers the new tenant if only the project fails.
    setTenantId(id)
    const body = { name: values['name'] ?? '' }
    const project = await request('POST', '/auth/v1/tenants/{tenantId}/projects', { path: { tenantId: id }, body })
    await queryClient.invalidateQueries({ queryKey: projectsQuery(id).queryKey })
    await navigate({ to: '/app/projects/$projectId/first-steps', params: { projectId: project.id } })
  }
  return (
    <Page
      title="New project"
      lead="A tenant is a company or a team. A project is one of its applications, with its own address, settings and keys."
    >
      <Form submit={submit} submitLabel="Create project">
        {tenants.length > 0 && (
          <SelectField name="tenant" label="Tenant" value={tenantId} onValue={setTenantId}>
            {tenants.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
            {!byOperator && <option value="">A new tenant</option>}
          </SelectField>
        )}
        {tenantId === '' && byOperator && (
          <p className="text-soft">Only the operator creates tenants on this installation. Ask for an invitation.</p>
        )}
        {tenantId === '' && !byOperator && <TextField name="tenant_name" label="Name of the tenant" required />}
        <TextField name="name" label="Name of the project" required />
      </Form>
    </Page>
  )
}

async function createTenant(name: string): Promise<string> {
  const { id } = await request('POST', '/auth/v1/tenants', { body: { name } })
  await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
  return id
}
