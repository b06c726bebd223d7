// The settings of a tenant: its plan with what is used of it, and renaming, exporting and deleting it.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { startDownload } from '../../api/download.ts'
import { request } from '../../api/management.ts'
import { queryClient, sessionQuery } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { ActionButton } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { LastChange } from '../audit/last-change.tsx'
import { DeleteTenant } from './delete-tenant.tsx'
import { Plan } from './plan.tsx'
import { SignInRules } from './sign-in-rules.tsx'

const tenantQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['tenant', tenantId, 'itself'],
    queryFn: () => request('GET', '/auth/v1/tenants/{tenantId}', { path: { tenantId } }),
  })

export function TenantScreen() {
  const { tenantId } = useParams({ from: '/app/tenants/$tenantId/settings' })
  const tenant = useQuery(tenantQuery(tenantId))
  const may = useMay(tenantId)
  return (
    <Loaded query={tenant} what="the tenant" pageTitle="Tenant settings">
      {data => (
        <Page
          key={data.id}
          title="Tenant settings"
          lead={
            <>
              The plan, the name and the data of <bdi>{data.name}</bdi>, created <Time iso={data.created_at} />.{' '}
              <a href="/docs/account-and-projects#rename-export-delete-a-tenant">About tenants</a>
            </>
          }
        >
          <Section title="Plan">
            <Plan tenantId={tenantId} plan={data.plan} />
          </Section>
          {may('project:write') && (
            <Section title="Rename">
              <RenameForm id={data.id} name={data.name} />
            </Section>
          )}
          {may('tenant:write') && (
            <Section title="Signing in">
              <SignInRules
                tenant={data}
                stored={rules => queryClient.setQueryData(tenantQuery(data.id).queryKey, rules)}
              />
            </Section>
          )}
          {may('tenant:write') && may('content:read') && (
            <Section title="Export">
              <Export tenantId={tenantId} />
            </Section>
          )}
          {may('tenant:write') ? (
            <Section title="Delete">
              <DeleteTenant tenant={data} />
            </Section>
          ) : (
            <p className="text-soft">Only an owner can export and delete the tenant.</p>
          )}
          <LastChange tenantId={tenantId} target={tenantId} />
        </Page>
      )}
    </Loaded>
  )
}

function RenameForm({ id, name: current }: { id: string; name: string }) {
  const toast = useToast()
  const submit = async ({ name = '' }: FormValues): Promise<void> => {
    const path = { tenantId: id }
    const renamed = await request('PATCH', '/auth/v1/tenants/{tenantId}', { path, body: { name } })
    queryClient.setQueryData(tenantQuery(id).queryKey, renamed)
    // The bar shows the tenants of the session.
    await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
    toast.show('The tenant is renamed.')
  }
  return (
    <Form submit={submit} submitLabel="Rename" isOfStored>
      <TextField name="name" label="Name" defaultValue={current} hint="Its id and addresses stay." required />
    </Form>
  )
}

function Export({ tenantId }: { tenantId: string }) {
  return (
    <>
      <p className="max-w-2xl text-soft">
        Everything that belongs to the tenant except secrets, as newline-delimited JSON: members, projects, settings,
        threads with their messages, usage. A download that breaks off is incomplete.
      </p>
      <p>
        <ActionButton run={() => startDownload(`/auth/v1/tenants/${tenantId}/export`)}>Export the tenant</ActionButton>
      </p>
    </>
  )
}
