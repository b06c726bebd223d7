// Deletes the tenant, after its name was typed. Disabled while a project is active, as the API refuses it then.
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { leaveTenantScreens } from '../../api/leave-tenant.ts'
import { request } from '../../api/management.ts'
import { projectsQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { Loaded } from '../../ui/states.tsx'

interface DeletedTenant {
  id: string
  name: string
}

export function DeleteTenant({ tenant }: { tenant: DeletedTenant }) {
  const projects = useQuery(projectsQuery(tenant.id))
  return (
    <Loaded query={projects} what="projects">
      {rows => {
        const active = rows.filter(({ status }) => status === 'active').length
        return (
          <>
            {active > 0 && (
              <p>
                {active === 1 ? 'One project is active. ' : `${active} projects are active. `}
                <Link to="/app/tenants/$tenantId/projects" params={{ tenantId: tenant.id }}>
                  Suspend all projects first
                </Link>
                .
              </p>
            )}
            <DeleteButton tenant={tenant} isDisabled={active > 0} />
          </>
        )
      }}
    </Loaded>
  )
}

function DeleteButton({ tenant, isDisabled }: { tenant: DeletedTenant; isDisabled: boolean }) {
  const confirm = useConfirm()
  const navigate = useNavigate()
  const ask = () =>
    confirm({
      title: 'Delete the tenant?',
      body: (
        <>
          <p>
            All its projects with their settings, end users, threads and usage, its provider keys and its invitations
            are erased for good. The slugs of its projects are never given again.
          </p>
          <p>All members lose access at once. Their accounts stay.</p>
        </>
      ),
      action: 'Delete tenant',
      typed: { label: `Type ${tenant.name} to confirm`, text: tenant.name },
      run: async () => {
        const path = { tenantId: tenant.id }
        await request('DELETE', '/auth/v1/tenants/{tenantId}', { path, body: { confirm: tenant.name } })
        await leaveTenantScreens(tenant.id, () => navigate({ to: '/app' }))
      },
    })
  return (
    <p>
      <Button look="danger" disabled={isDisabled} onClick={ask}>
        Delete tenant
      </Button>
    </p>
  )
}
