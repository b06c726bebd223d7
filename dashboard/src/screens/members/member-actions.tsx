// What can be done with one member: change the role, make a reset link, remove; and leave the tenant oneself.
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { leaveTenantScreens } from '../../api/leave-tenant.ts'
import { request } from '../../api/management.ts'
import { useUser } from '../../api/session.ts'
import { ActionButton, Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { LinkDialog } from '../../ui/dialogs/link-dialog.tsx'
import { useToast } from '../../ui/toast.tsx'
import { ChangeRoleDialog } from './change-role-dialog.tsx'
import { type Member, refreshPeople } from './queries.ts'

interface MemberActionsProps {
  tenantId: string
  member: Member
  /** Nobody else could manage the tenant without this member. */
  isOnlyOwner: boolean
  /** Whether the signed-in user may manage members. */
  mayManage: boolean
}

export function MemberActions({ tenantId, member, isOnlyOwner, mayManage }: MemberActionsProps) {
  const isSelf = useUser().id === member.id
  const [isChanging, setChanging] = useState(false)
  if (!mayManage && !isSelf) return null
  if (isOnlyOwner) return <p className="text-sm text-soft">The only owner. Make somebody else an owner first.</p>
  return (
    <div className="flex flex-wrap gap-2 min-[1400px]:flex-nowrap">
      {mayManage && (
        <Button aria-label={`Change role of ${member.email}`} onClick={() => setChanging(true)}>
          Change role
        </Button>
      )}
      {mayManage && !isSelf && <ResetLink tenantId={tenantId} member={member} />}
      {isSelf ? <Leave tenantId={tenantId} member={member} /> : <Remove tenantId={tenantId} member={member} />}
      {isChanging && <ChangeRoleDialog tenantId={tenantId} member={member} close={() => setChanging(false)} />}
    </div>
  )
}

interface OneMemberProps {
  tenantId: string
  member: Member
}

function ResetLink({ tenantId, member }: OneMemberProps) {
  const [url, setUrl] = useState<string | null>(null)
  const create = async (): Promise<void> => {
    const path = { tenantId, userId: member.id }
    const made = await request('POST', '/auth/v1/tenants/{tenantId}/members/{userId}/reset-link', { path })
    setUrl(made.reset_url)
  }
  return (
    <>
      <ActionButton aria-label={`Reset link for ${member.email}`} run={create}>
        Reset link
      </ActionButton>
      {url !== null && (
        <LinkDialog title="A link for a new password" url={url} close={() => setUrl(null)}>
          With this link <bdi>{member.email}</bdi> can choose a new password, once, within an hour. All their sessions
          end then.
        </LinkDialog>
      )}
    </>
  )
}

/** Said before an owner goes: the API withdraws the links that the owner may have seen. */
function LostLinks({ member }: { member: Member }) {
  if (member.role !== 'owner') return null
  return <p>All open invitations and reset links of the tenant stop working, because an owner may have seen them.</p>
}

function Remove({ tenantId, member }: OneMemberProps) {
  const confirm = useConfirm()
  const toast = useToast()
  const ask = () =>
    confirm({
      title: 'Remove the member?',
      body: (
        <>
          <p>
            <bdi>{member.email}</bdi> can no longer see or change anything of the tenant, at once. The account stays.
          </p>
          <p>API keys that they have seen keep working: rotate those.</p>
          <LostLinks member={member} />
        </>
      ),
      action: 'Remove member',
      run: async () => {
        const path = { tenantId, userId: member.id }
        await request('DELETE', '/auth/v1/tenants/{tenantId}/members/{userId}', { path })
        await refreshPeople(tenantId)
        toast.show(`${member.email} is no longer a member.`)
      },
    })
  return (
    <Button aria-label={`Remove ${member.email}`} onClick={ask}>
      Remove
    </Button>
  )
}

function Leave({ tenantId, member }: OneMemberProps) {
  const confirm = useConfirm()
  const navigate = useNavigate()
  const ask = () =>
    confirm({
      title: 'Leave the tenant?',
      body: (
        <>
          <p>You can no longer see or change anything of it, unless an owner adds you again.</p>
          <LostLinks member={member} />
        </>
      ),
      action: 'Leave tenant',
      run: async () => {
        const path = { tenantId, userId: member.id }
        await request('DELETE', '/auth/v1/tenants/{tenantId}/members/{userId}', { path })
        await leaveTenantScreens(tenantId, () => navigate({ to: '/app' }))
      },
    })
  return (
    <Button onClick={ask} aria-label="Leave the tenant">
      Leave
    </Button>
  )
}
