// The members of a tenant, and its open invitations: who may do what, and who is about to join.
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay, useUser } from '../../api/session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { LinkDialog } from '../../ui/dialogs/link-dialog.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useLastChanges } from '../audit/last-changes.tsx'
import { Invitations } from './invitations.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { MemberActions } from './member-actions.tsx'
import { type InvitationLink, type Member, membersQuery } from './queries.ts'
import { RoleList } from './role-list.tsx'

export function MembersScreen() {
  const { tenantId } = useParams({ from: '/app/tenants/$tenantId/members' })
  const mayManage = useMay(tenantId)('members:write')
  const [isInviting, setInviting] = useState(false)
  const [link, setLink] = useState<InvitationLink | null>(null)
  const add = mayManage && (
    <Button look="primary" onClick={() => setInviting(true)}>
      Invite a member
    </Button>
  )
  return (
    <Page
      title="Members"
      lead={
        <>
          Who may see and change the projects of this tenant.{' '}
          <a href="/docs/account-and-projects#manage-members-and-invitations">About members</a>
        </>
      }
      actions={add}
    >
      <MemberTable tenantId={tenantId} mayManage={mayManage} />
      {mayManage ? (
        <Section title="Invitations">
          <Invitations tenantId={tenantId} onInvited={setLink} />
        </Section>
      ) : (
        <p className="text-soft">Your role does not let you add, change and remove members.</p>
      )}
      <Section title="Roles">
        <RoleList tenantId={tenantId} />
      </Section>
      {isInviting && <InviteDialog tenantId={tenantId} close={() => setInviting(false)} onInvited={setLink} />}
      {link !== null && (
        <LinkDialog title="The invitation link" url={link.url} close={() => setLink(null)}>
          With this link <bdi>{link.email}</bdi> joins the tenant, once, within seven days. Whoever holds the link can
          use it.
        </LinkDialog>
      )}
    </Page>
  )
}

function MemberTable({ tenantId, mayManage }: { tenantId: string; mayManage: boolean }) {
  const members = useQuery(membersQuery(tenantId))
  const { id } = useUser()
  const changes = useLastChanges({
    tenantId,
    // A sign-in through an identity provider may change the role.
    actions: ['member.role', 'session.create'],
    rows: members.data ?? [],
    idOf: member => member.id,
  })
  const columnsFor = (rows: Member[]): Column<Member>[] => [
    {
      title: 'Email',
      cell: member => (
        <>
          <bdi>{member.email}</bdi> {member.id === id && <Badge>You</Badge>}
        </>
      ),
    },
    { title: 'Role', cell: ({ role }) => role },
    ...changes,
    {
      title: 'Actions',
      cell: member => (
        <MemberActions
          tenantId={tenantId}
          member={member}
          isOnlyOwner={member.role === 'owner' && rows.filter(({ role }) => role === 'owner').length === 1}
          mayManage={mayManage}
        />
      ),
    },
  ]
  return (
    <Loaded query={members} what="the members">
      {rows => (
        <Table caption="Members" columns={columnsFor(rows)} rows={rows} keyOf={member => member.id} empty={null} />
      )}
    </Loaded>
  )
}
