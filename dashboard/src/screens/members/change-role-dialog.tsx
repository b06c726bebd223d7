// Changes the role of a member; says first what they lose.
import { useState } from 'react'
import { request } from '../../api/management.ts'
import { queryClient, sessionQuery } from '../../api/queries.ts'
import { useUser } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { type Member, refreshPeople } from './queries.ts'
import { RoleField, readRole } from './role-field.tsx'

interface ChangeRoleDialogProps {
  tenantId: string
  member: Member
  close: () => void
}

export function ChangeRoleDialog({ tenantId, member, close }: ChangeRoleDialogProps) {
  const user = useUser()
  const toast = useToast()
  const [chosen, setChosen] = useState(member.role)
  const isSelf = member.id === user.id
  const submit = async (values: FormValues): Promise<void> => {
    const path = { tenantId, userId: member.id }
    const body = { role: readRole(values['role']) }
    const changed = await request('PATCH', '/auth/v1/tenants/{tenantId}/members/{userId}', { path, body })
    if (isSelf) await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
    await refreshPeople(tenantId)
    close()
    toast.show(`The role of ${changed.email} is ${changed.role} now.`)
  }
  return (
    <Dialog title="Change the role" onClose={close}>
      <p className="mb-4">
        <bdi className="font-medium">{member.email}</bdi>
        {isSelf && ' (you)'}
      </p>
      <Form
        submit={submit}
        submitLabel="Change role"
        isDisabled={chosen === member.role}
        secondary={<Button onClick={close}>Cancel</Button>}
      >
        <RoleField tenantId={tenantId} current={member.role} onValue={setChosen} />
        <div role="status" className="empty:-mt-4">
          {member.role === 'owner' && chosen !== 'owner' && (
            <p>
              {isSelf ? 'You can no longer manage members. ' : 'They can no longer manage members. '}
              All open invitations and reset links of the tenant stop working, because an owner may have seen them.
            </p>
          )}
        </div>
      </Form>
    </Dialog>
  )
}
