// What members and owners do with a webhook: send a test, rotate its secret, delete it.
import { request } from '../../api/management.ts'
import { queryClient } from '../../api/queries.ts'
import { ActionButton, Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { FileHint } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { type Webhook, webhooksQuery } from './queries.ts'

interface WebhookActionsProps {
  tenantId: string
  webhook: Webhook
  /** Whether a file manages its project. */
  isManaged: boolean
  onRotated: (secret: string) => void
}

export function WebhookActions({ tenantId, webhook, isManaged, onRotated }: WebhookActionsProps) {
  const { id: webhookId, url } = webhook
  const confirm = useConfirm()
  const toast = useToast()
  const path = { tenantId, webhookId }
  const refresh = () => queryClient.invalidateQueries({ queryKey: webhooksQuery(tenantId).queryKey })
  const rotate = () =>
    confirm({
      title: 'Rotate the secret?',
      body: (
        <p>
          Deliveries to <bdi>{url}</bdi> get a new secret. For 24 hours they are signed with the previous one, too, so
          that your service can change over. A secret before that one ends at once.
        </p>
      ),
      action: 'Rotate secret',
      run: async () => {
        const rotated = await request('POST', '/auth/v1/tenants/{tenantId}/webhooks/{webhookId}/rotate', { path })
        onRotated(rotated.secret)
        await refresh()
      },
    })
  const remove = () =>
    confirm({
      title: 'Delete the webhook?',
      body: (
        <p>
          <bdi>{url}</bdi> gets no further events. Deliveries that are pending are deleted, and so is the list of them.
        </p>
      ),
      action: 'Delete webhook',
      run: async () => {
        await request('DELETE', '/auth/v1/tenants/{tenantId}/webhooks/{webhookId}', { path })
        await refresh()
        toast.show('The webhook is deleted.')
      },
    })
  return (
    <div className="flex flex-wrap gap-2">
      <TestButton tenantId={tenantId} webhookId={webhookId} url={url} />
      {isManaged ? (
        <FileHint />
      ) : (
        <>
          <Button aria-label={`Rotate secret of ${url}`} onClick={rotate}>
            Rotate secret
          </Button>
          <Button aria-label={`Delete ${url}`} onClick={remove}>
            Delete
          </Button>
        </>
      )}
    </div>
  )
}

export function TestButton({ tenantId, webhookId, url }: { tenantId: string; webhookId: string; url: string }) {
  const toast = useToast()
  const test = async (): Promise<void> => {
    const path = { tenantId, webhookId }
    await request('POST', '/auth/v1/tenants/{tenantId}/webhooks/{webhookId}/test', { path })
    await queryClient.invalidateQueries({ queryKey: [...webhooksQuery(tenantId).queryKey, webhookId] })
    toast.show('A test is on its way. Its outcome is in the deliveries of the webhook.')
  }
  return (
    <ActionButton aria-label={`Send a test to ${url}`} run={test}>
      Send a test
    </ActionButton>
  )
}
