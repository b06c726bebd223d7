// The deliveries of one webhook in the last 30 days, newest first, as they happen.
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMay } from '../../api/session.ts'
import { Badge } from '../../ui/badge.tsx'
import { formatCount } from '../../ui/numbers.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Pager } from '../../ui/tables/pager.tsx'
import { Time } from '../../ui/time.tsx'
import { LastChange } from '../audit/last-change.tsx'
import { nameOfEvent } from './event-names.ts'
import { type Delivery, deliveriesQuery, webhooksQuery } from './queries.ts'
import { TestButton } from './webhook-actions.tsx'

const from = '/app/tenants/$tenantId/webhooks/$webhookId'

export function DeliveriesScreen() {
  const { tenantId, webhookId } = useParams({ from })
  const { cursor } = useSearch({ from })
  const navigate = useNavigate({ from })
  const webhooks = useQuery(webhooksQuery(tenantId))
  const deliveries = useQuery(deliveriesQuery(tenantId, webhookId, cursor))
  const mayWrite = useMay(tenantId)('webhooks:write')
  const webhook = webhooks.data?.find(({ id }) => id === webhookId)
  const go = (next: string | undefined) => void navigate({ search: next === undefined ? {} : { cursor: next } })
  return (
    <Page
      title="Deliveries"
      awaited={[webhooks]}
      lead={
        <>
          What was sent{webhook === undefined ? '' : ` to ${webhook.url}`} in the last 30 days. A delivery that fails is
          tried again for 24 hours.{' '}
          <Link to="/app/tenants/$tenantId/webhooks" params={{ tenantId }}>
            All webhooks
          </Link>
        </>
      }
      actions={
        mayWrite && webhook !== undefined && <TestButton tenantId={tenantId} webhookId={webhookId} url={webhook.url} />
      }
    >
      <Loaded query={deliveries} what="the deliveries">
        {({ data, next_cursor: next }) => (
          <>
            <Table
              caption="Deliveries"
              columns={columns}
              rows={data}
              keyOf={({ id }) => id}
              empty={<Empty title="No deliveries">Send a test, or wait for the next event of the tenant.</Empty>}
            />
            <Pager cursor={cursor} next={next} go={go} />
          </>
        )}
      </Loaded>
      <LastChange tenantId={tenantId} target={webhookId} />
    </Page>
  )
}

const statuses = {
  pending: <Badge tone="warn">Pending</Badge>,
  delivered: <Badge tone="good">Delivered</Badge>,
  failed: <Badge tone="danger">Failed</Badge>,
}

const columns: Column<Delivery>[] = [
  { title: 'Created', cell: ({ created_at }) => <Time iso={created_at} /> },
  { title: 'Event', cell: ({ type }) => nameOfEvent(type) },
  { title: 'State', cell: ({ status }) => statuses[status] },
  { title: 'Attempts', isNumber: true, cell: ({ attempts }) => formatCount(attempts) },
  { title: 'Last response', cell: describeResponse },
  { title: 'webhook-id', cell: ({ id }) => <code className="text-sm">{id}</code> },
]

function describeResponse({ attempts, last_status: status }: Delivery): string {
  if (status !== null) return `Status ${status}`
  return attempts === 0 ? 'Not sent yet' : 'None'
}
