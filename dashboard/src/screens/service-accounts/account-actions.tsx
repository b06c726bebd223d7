// Changes, rotates and deletes one service account.
import { useState } from 'react'
import { request } from '../../api/management.ts'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { useToast } from '../../ui/toast.tsx'
import { AccountDialog } from './account-dialog.tsx'
import { refreshServiceAccounts, type ServiceAccount } from './queries.ts'

interface AccountActionsProps {
  tenantId: string
  account: ServiceAccount
  showKey: (key: string) => void
}

const route = '/auth/v1/tenants/{tenantId}/service-accounts/{serviceAccountId}'
const overlapHours = 24

export function AccountActions({ tenantId, account, showKey }: AccountActionsProps) {
  const confirm = useConfirm()
  const toast = useToast()
  const [isEditing, setEditing] = useState(false)
  const path = { tenantId, serviceAccountId: account.id }
  const rotate = () =>
    confirm({
      title: 'Rotate the key?',
      body: (
        <p>
          A new key takes the place of that of <bdi>“{account.name}”</bdi>. The old one works for {overlapHours} more
          hours, so that the program can change over.
        </p>
      ),
      action: 'Rotate key',
      run: async () => {
        const body = { overlap_seconds: overlapHours * 3600 }
        const { key } = await request('POST', `${route}/rotate` as const, { path, body })
        showKey(key)
        await refreshServiceAccounts(tenantId)
      },
    })
  const remove = () =>
    confirm({
      title: 'Delete the service account?',
      body: (
        <p>
          The key of <bdi>“{account.name}”</bdi> stops working at once, for good.
        </p>
      ),
      action: 'Delete service account',
      run: async () => {
        await request('DELETE', route, { path })
        await refreshServiceAccounts(tenantId)
        toast.show('The service account is deleted.')
      },
    })
  return (
    <div className="flex flex-wrap gap-2 min-[1400px]:flex-nowrap">
      <Button aria-label={`Edit ${account.name}`} onClick={() => setEditing(true)}>
        Edit
      </Button>
      <Button aria-label={`Rotate ${account.name}`} onClick={rotate}>
        Rotate
      </Button>
      <Button aria-label={`Delete ${account.name}`} onClick={remove}>
        Delete
      </Button>
      {isEditing && (
        <AccountDialog tenantId={tenantId} account={account} close={() => setEditing(false)} onCreated={showKey} />
      )}
    </div>
  )
}
