// Blocks, unblocks and erases an end user, and revokes tokens; each says first what it breaks.
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { request } from '../../api/management.ts'
import { queryClient } from '../../api/queries.ts'
import { ActionButton, Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { Section } from '../../ui/page.tsx'
import { useToast } from '../../ui/toast.tsx'
import { BlockDialog } from './block-dialog.tsx'
import { allEndUsersKey, type EndUser } from './queries.ts'

interface EndUserActionsProps {
  projectId: string
  user: EndUser
}

export function EndUserActions(props: EndUserActionsProps) {
  return (
    <>
      {props.user.blocked_at === null ? <Block {...props} /> : <Unblock {...props} />}
      <RevokeTokens {...props} />
      <Erase {...props} />
    </>
  )
}

function Block({ projectId, user }: EndUserActionsProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Section title="Block">
      <p className="text-soft">Stops this user without stopping the project. You can unblock them at any time.</p>
      <p>
        <Button look="danger" onClick={() => setOpen(true)}>
          Block user
        </Button>
      </p>
      {isOpen && <BlockDialog projectId={projectId} uid={user.uid} close={() => setOpen(false)} />}
    </Section>
  )
}

function Unblock({ projectId, user }: EndUserActionsProps) {
  const toast = useToast()
  const unblock = async (): Promise<void> => {
    const path = { projectId, uid: user.uid }
    await request('DELETE', '/auth/v1/projects/{projectId}/users/{uid}/block', { path })
    await queryClient.invalidateQueries({ queryKey: allEndUsersKey(projectId) })
    toast.show('The user is unblocked.')
  }
  return (
    <Section title="Unblock">
      <p className="text-soft">
        The user is blocked. Once unblocked, they get answers again, with the tokens that are not revoked.
      </p>
      <p>
        <ActionButton run={unblock}>Unblock user</ActionButton>
      </p>
    </Section>
  )
}

function RevokeTokens({ projectId, user }: EndUserActionsProps) {
  const confirm = useConfirm()
  const toast = useToast()
  const ask = () =>
    confirm({
      title: 'Revoke all tokens of the user?',
      body: (
        <p>
          All tokens that were issued until now get 401, minted ones and those of your identity provider; streams in
          flight end within two seconds. The user can go on with a new token: block them if they must not.
        </p>
      ),
      action: 'Revoke tokens',
      run: async () => {
        const path = { projectId, uid: user.uid }
        await request('POST', '/auth/v1/projects/{projectId}/users/{uid}/revoke-tokens', { path })
        await queryClient.invalidateQueries({ queryKey: allEndUsersKey(projectId) })
        toast.show('The tokens are revoked.')
      },
    })
  return (
    <Section title="Revoke tokens">
      <p className="text-soft">For a token that got into wrong hands. Your server can mint a new one at once.</p>
      <p>
        <Button onClick={ask}>Revoke tokens</Button>
      </p>
    </Section>
  )
}

function Erase({ projectId, user }: EndUserActionsProps) {
  const confirm = useConfirm()
  const navigate = useNavigate()
  const toast = useToast()
  const ask = () =>
    confirm({
      title: 'Erase the user?',
      body: (
        <>
          <p>
            All conversations of the user are erased for good. The usage stays, under the id <code>erased</code>, so
            that sums and invoices stay right.
          </p>
          <p>A block and a revocation stay in force. Block the user first if no request must follow.</p>
        </>
      ),
      action: 'Erase user',
      typed: { label: `Type ${user.uid} to confirm`, text: user.uid },
      run: async () => {
        const path = { projectId, uid: user.uid }
        await request('DELETE', '/auth/v1/projects/{projectId}/users/{uid}', { path })
        await navigate({ to: '/app/projects/$projectId/end-users', params: { projectId } })
        await queryClient.invalidateQueries({ queryKey: allEndUsersKey(projectId) })
        toast.show('The user is being erased: it takes some seconds.')
      },
    })
  return (
    <Section title="Erase">
      <p className="text-soft">Removes what was stored of the user, for example when they ask for it.</p>
      <p>
        <Button look="danger" onClick={ask}>
          Erase user
        </Button>
      </p>
    </Section>
  )
}
