// The webhooks of a tenant: list, create, send a test, rotate the secret, delete. A secret is shown once.
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { projectsQuery } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { SecretDialog } from '../../ui/dialogs/secret-dialog.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useLastChanges } from '../audit/last-changes.tsx'
import { nameOfEvent } from './event-names.ts'
import { NewWebhookDialog } from './new-webhook-dialog.tsx'
import { type Webhook, webhooksQuery } from './queries.ts'
import { WebhookActions } from './webhook-actions.tsx'

const maxWebhooks = 10

export function WebhooksScreen() {
  const { tenantId } = useParams({ from: '/app/tenants/$tenantId/webhooks' })
  const webhooks = useQuery(webhooksQuery(tenantId))
  const mayWrite = useMay(tenantId)('webhooks:write')
  const changes = useLastChanges({
    tenantId,
    actions: ['webhook.create', 'webhook.rotate'],
    rows: webhooks.data ?? [],
    idOf: ({ id }) => id,
  })
  const [isCreating, setCreating] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <Page
      title="Webhooks"
      lead={
        <>
          Send the{' '}
          <Link to="/app/tenants/$tenantId/events" params={{ tenantId }}>
            events of the tenant
          </Link>{' '}
          to a service of yours. <a href="/docs/webhooks">About webhooks</a>
        </>
      }
      actions={
        mayWrite && (
          <Button
            look="primary"
            disabled={(webhooks.data?.length ?? 0) >= maxWebhooks}
            onClick={() => setCreating(true)}
          >
            New webhook
          </Button>
        )
      }
    >
      <Loaded query={webhooks} what="the webhooks">
        {rows => (
          <WebhookTable tenantId={tenantId} rows={rows} changes={changes} onRotated={mayWrite ? setSecret : null} />
        )}
      </Loaded>
      {isCreating && <NewWebhookDialog tenantId={tenantId} close={() => setCreating(false)} onCreated={setSecret} />}
      {secret !== null && (
        <SecretDialog
          title="The secret of the webhook"
          label="secret"
          text={secret}
          done="I have stored the secret"
          close={() => setSecret(null)}
        >
          Your service verifies the signatures of deliveries with it. Copy it now: it is shown only here, and only once.
        </SecretDialog>
      )}
    </Page>
  )
}

const actionsOf = (
  tenantId: string,
  projects: readonly { id: string; managed_by: 'file' | null }[],
  onRotated: (secret: string) => void,
): Column<Webhook> => ({
  title: 'Actions',
  cell: webhook => {
    const isManaged = projects.find(({ id }) => id === webhook.project_id)?.managed_by === 'file'
    return <WebhookActions tenantId={tenantId} webhook={webhook} isManaged={isManaged} onRotated={onRotated} />
  },
})

interface WebhookTableProps {
  tenantId: string
  rows: Webhook[]
  changes: readonly Column<Webhook>[]
  /** Null for those who may not change webhooks. */
  onRotated: ((secret: string) => void) | null
}

function WebhookTable({ tenantId, rows, changes, onRotated }: WebhookTableProps) {
  const { data: projects = [] } = useQuery(projectsQuery(tenantId))
  const actions = onRotated === null ? [] : [actionsOf(tenantId, projects, onRotated)]
  const secrets = rows.some(({ previous_secret_until: until }) => until !== null) ? [previousSecretColumn] : []
  const columns = [...columnsOf(tenantId, projects), ...secrets, ...changes, ...actions]
  return (
    <>
      {rows.length >= maxWebhooks && <p>A tenant has at most {maxWebhooks} webhooks. Delete one to add another.</p>}
      <Table
        caption="Webhooks"
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        empty={<Empty title="No webhooks">A webhook gets each event as an HTTP request with a signature.</Empty>}
      />
    </>
  )
}

const columnsOf = (tenantId: string, projects: readonly { id: string; name: string }[]): Column<Webhook>[] => [
  {
    title: 'URL',
    cell: ({ id, url }) => (
      <Link to="/app/tenants/$tenantId/webhooks/$webhookId" params={{ tenantId, webhookId: id }}>
        {url}
      </Link>
    ),
  },
  { title: 'Events', cell: ({ types }) => (types === null ? 'All' : types.map(nameOfEvent).join(', ')) },
  {
    title: 'Projects',
    cell: ({ project_id }) =>
      project_id === null ? (
        'All projects'
      ) : (
        <bdi>{projects.find(({ id }) => id === project_id)?.name ?? project_id}</bdi>
      ),
  },
]

/** There if a webhook has one. */
const previousSecretColumn: Column<Webhook> = {
  title: 'Previous secret',
  cell: ({ previous_secret_until: until }) =>
    until === null ? (
      'None'
    ) : (
      <>
        signs until <Time iso={until} />
      </>
    ),
}
