// The roles of a tenant: what each may do; those of the tenant's own can be created, changed and deleted.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { request } from '../../api/management.ts'
import { queryClient } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useToast } from '../../ui/toast.tsx'
import { useLastChanges } from '../audit/last-changes.tsx'
import { PermissionList } from './permission-list.tsx'
import { type Role, rolesQuery } from './queries.ts'
import { RoleDialog } from './role-dialog.tsx'

export function RoleList({ tenantId }: { tenantId: string }) {
  const roles = useQuery(rolesQuery(tenantId))
  const mayWrite = useMay(tenantId)('roles:write')
  const own = roles.data?.filter(role => !role.built_in) ?? []
  const changes = useLastChanges({ tenantId, actions: ['role.put'], rows: own, idOf: ({ name }) => name })
  /** Null for a new role, undefined while none is edited. */
  const [edited, setEdited] = useState<Role | null | undefined>(undefined)
  const actions: Column<Role> = {
    title: 'Actions',
    cell: role => !role.built_in && <RoleActions tenantId={tenantId} role={role} edit={() => setEdited(role)} />,
  }
  return (
    <Loaded query={roles} what="the roles">
      {rows => (
        <>
          {mayWrite && (
            <p>
              <Button onClick={() => setEdited(null)}>New role</Button>
            </p>
          )}
          <Table
            caption="Roles"
            columns={[...columns, ...changes, ...(mayWrite ? [actions] : [])]}
            rows={rows}
            keyOf={({ name }) => name}
            empty={null}
          />
          {edited !== undefined && (
            <RoleDialog
              tenantId={tenantId}
              role={edited}
              permissions={rows.find(({ name }) => name === 'owner')?.permissions ?? []}
              close={() => setEdited(undefined)}
            />
          )}
        </>
      )}
    </Loaded>
  )
}

const columns: Column<Role>[] = [
  { title: 'Role', cell: ({ name }) => name },
  { title: 'Description', cell: ({ description, built_in }) => description ?? (built_in ? 'In every tenant' : 'None') },
  {
    title: 'Permissions',
    cell: ({ name, permissions }) => (name === 'owner' ? 'All' : <PermissionList permissions={permissions} />),
  },
]

function RoleActions({ tenantId, role, edit }: { tenantId: string; role: Role; edit: () => void }) {
  const confirm = useConfirm()
  const toast = useToast()
  const ask = () =>
    confirm({
      title: 'Delete the role?',
      body: <p>Members and open invitations must have other roles before.</p>,
      action: 'Delete role',
      run: async () => {
        const path = { tenantId, roleName: role.name }
        await request('DELETE', '/auth/v1/tenants/{tenantId}/roles/{roleName}', { path })
        await queryClient.invalidateQueries({ queryKey: rolesQuery(tenantId).queryKey })
        toast.show(`The role ${role.name} is deleted.`)
      },
    })
  return (
    <div className="flex flex-wrap gap-2 min-[1400px]:flex-nowrap">
      <Button aria-label={`Edit role ${role.name}`} onClick={edit}>
        Edit
      </Button>
      <Button aria-label={`Delete role ${role.name}`} onClick={ask}>
        Delete
      </Button>
    </div>
  )
}
