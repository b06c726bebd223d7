// The open invitations of a tenant, which an owner can withdraw.
import { useQuery } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { type Invitation, invitationsQuery, refreshPeople } from './queries.ts'

export function Invitations({ tenantId }: { tenantId: string }) {
  const invitations = useQuery(invitationsQuery(tenantId))
  return (
    <Loaded query={invitations} what="open invitations">
      {rows => (
        <Table
          caption="Open invitations"
          columns={[
            { title: 'Email', cell: ({ email }) => <bdi>{email}</bdi> },
            { title: 'Role', cell: ({ role }) => role },
            { title: 'Created', cell: ({ created_at }) => <Time iso={created_at} /> },
            { title: 'Expires', cell: ({ expires_at }) => <Time iso={expires_at} /> },
            { title: 'Action', cell: invitation => <Withdraw tenantId={tenantId} invitation={invitation} /> },
          ]}
          rows={rows}
          keyOf={({ id }) => id}
          empty={<Empty title="No open invitations">People you invite appear here until they accept.</Empty>}
        />
      )}
    </Loaded>
  )
}

function Withdraw({ tenantId, invitation }: { tenantId: string; invitation: Invitation }) {
  const confirm = useConfirm()
  const toast = useToast()
  const path = { tenantId, invitationId: invitation.id }
  const ask = () =>
    confirm({
      title: 'Withdraw the invitation?',
      body: (
        <p>
          The link for <bdi>{invitation.email}</bdi> stops working at once.
        </p>
      ),
      action: 'Withdraw invitation',
      run: async () => {
        await request('DELETE', '/auth/v1/tenants/{tenantId}/invitations/{invitationId}', { path })
        await refreshPeople(tenantId)
        toast.show('The invitation is withdrawn.')
      },
    })
  return (
    <Button aria-label={`Withdraw the invitation for ${invitation.email}`} onClick={ask}>
      Withdraw
    </Button>
  )
}
