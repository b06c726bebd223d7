// The invitations of a tenant that nobody accepted, which an owner can withdraw, or repeat once they have expired.
import { useQuery } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import { Badge } from '../../ui/badge.tsx'
import { ActionButton, Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { type Invitation, type InvitationLink, invitationsQuery, invite, refreshPeople } from './queries.ts'

interface InvitationsProps {
  tenantId: string
  onInvited: (link: InvitationLink) => void
}

export function Invitations({ tenantId, onInvited }: InvitationsProps) {
  const invitations = useQuery(invitationsQuery(tenantId))
  return (
    <Loaded query={invitations} what="the invitations">
      {rows => (
        <Table
          caption="Invitations"
          columns={[
            { title: 'Email', cell: ({ email }) => <bdi>{email}</bdi> },
            { title: 'Role', cell: ({ role }) => role },
            { title: 'Created', cell: ({ created_at }) => <Time iso={created_at} /> },
            { title: 'Expires', cell: invitation => <Expiry invitation={invitation} /> },
            {
              title: 'Actions',
              cell: invitation => (
                <div className="flex flex-wrap gap-2">
                  {isExpired(invitation) && <InviteAgain {...{ tenantId, invitation, onInvited }} />}
                  <Withdraw tenantId={tenantId} invitation={invitation} />
                </div>
              ),
            },
          ]}
          rows={rows}
          keyOf={({ id }) => id}
          empty={<Empty title="No open invitations">People you invite appear here until they accept.</Empty>}
        />
      )}
    </Loaded>
  )
}

const isExpired = ({ expires_at }: Invitation): boolean => Date.parse(expires_at) <= Date.now()

function Expiry({ invitation }: { invitation: Invitation }) {
  return (
    <>
      {isExpired(invitation) && <Badge tone="danger">Expired</Badge>} <Time iso={invitation.expires_at} />
    </>
  )
}

interface OneInvitationProps {
  tenantId: string
  invitation: Invitation
}

function InviteAgain({ tenantId, invitation, onInvited }: OneInvitationProps & Pick<InvitationsProps, 'onInvited'>) {
  const { email, role } = invitation
  return (
    <ActionButton
      aria-label={`Invite again: ${email}`}
      run={async () => onInvited(await invite(tenantId, { email, role }))}
    >
      Invite again
    </ActionButton>
  )
}

function Withdraw({ tenantId, invitation }: OneInvitationProps) {
  const confirm = useConfirm()
  const toast = useToast()
  const path = { tenantId, invitationId: invitation.id }
  const ask = () =>
    confirm({
      title: 'Withdraw the invitation?',
      body: (
        <p>
          {isExpired(invitation) ? 'The expired invitation leaves the list: ' : 'The link stops working at once: '}
          <bdi>{invitation.email}</bdi>
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
