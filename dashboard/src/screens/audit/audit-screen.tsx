// Who did what in a tenant, and what it changed: newest first, with filters, an export and a check of the chain.
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { startDownload } from '../../api/download.ts'
import { useMay } from '../../api/session.ts'
import { Badge } from '../../ui/badge.tsx'
import { ActionButton } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { Form } from '../../ui/form.tsx'
import { Page } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { type AuditFilter, readAuditFilter, toQuery } from './audit-filter.ts'
import { EntryChanges } from './entry-changes.tsx'
import { type AuditEntry, auditQuery } from './queries.ts'
import { VerifyButton } from './verify-button.tsx'

const from = '/app/tenants/$tenantId/audit'

export function AuditScreen() {
  const { tenantId } = useParams({ from })
  const filter = useSearch({ from })
  const navigate = useNavigate({ from })
  const mayRead = useMay(tenantId)('audit:read')
  const entries = useQuery({ ...auditQuery(tenantId, filter), enabled: mayRead })
  const { cursor, ...withoutCursor } = filter
  const go = (next: string | undefined) =>
    void navigate({ search: next === undefined ? withoutCursor : { ...withoutCursor, cursor: next } })
  if (!mayRead) {
    return (
      <Page title="Audit">
        <Empty title="Your role does not read the audit">It needs the permission audit:read, which owners have.</Empty>
      </Page>
    )
  }
  return (
    <Page
      title="Audit"
      lead={
        <>
          Who did what in the tenant, from where, and what it changed. Each entry holds the hash of the one before, so
          that a changed or missing one is found. <a href="/docs/audit">About the audit</a>
        </>
      }
      actions={<Download tenantId={tenantId} filter={withoutCursor} />}
    >
      <Filters filter={filter} choose={search => void navigate({ search })} />
      <Loaded query={entries} what="the audit">
        {({ data, next_cursor: next }) => (
          <>
            <VerifyButton tenantId={tenantId} />
            <Table
              caption="Audit"
              columns={columns}
              rows={data}
              keyOf={({ id }) => id}
              empty={<Empty title="No such entries">Choose another filter.</Empty>}
            />
            <Pager cursor={cursor} next={next} go={go} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Filters({ filter, choose }: { filter: AuditFilter; choose: (filter: AuditFilter) => void }) {
  return (
    <search>
      {/* The fields show what the address says, whatever was typed before. */}
      <Form submit={async values => choose(readAuditFilter(values))} submitLabel="Show" key={JSON.stringify(filter)}>
        <div className="grid gap-3 sm:grid-cols-3">
          <TextField name="action" label="Action" placeholder="settings.deploy" defaultValue={filter.action} />
          <TextField name="actor" label="Actor’s id" defaultValue={filter.actor} />
          <TextField name="target" label="Target’s id" defaultValue={filter.target} />
          <SelectField name="outcome" label="Outcome" defaultValue={filter.outcome ?? ''}>
            <option value="">All</option>
            <option value="done">Done</option>
            <option value="refused">Refused</option>
          </SelectField>
          <TextField name="from" label="From (UTC)" type="date" defaultValue={filter.from} />
          <TextField name="to" label="To (UTC)" type="date" defaultValue={filter.to} />
        </div>
      </Form>
    </search>
  )
}

const formats = { ndjson: 'NDJSON', ocsf: 'OCSF' }

function Download({ tenantId, filter }: { tenantId: string; filter: AuditFilter }) {
  const addressOf = (format: string) =>
    `/auth/v1/tenants/${tenantId}/audit/export?${new URLSearchParams({ ...toQuery(filter), format })}`
  return Object.entries(formats).map(([format, name]) => (
    <ActionButton key={format} run={() => startDownload(addressOf(format))}>
      Download {name}
    </ActionButton>
  ))
}

const columns: Column<AuditEntry>[] = [
  { title: 'Nr.', isNarrow: true, cell: ({ seq }) => <span className="whitespace-nowrap">{seq}</span> },
  { title: 'Time', cell: ({ at }) => <Time iso={at} /> },
  { title: 'Who', cell: entry => <Actor entry={entry} /> },
  {
    title: 'What',
    cell: ({ action, outcome }) => (
      <>
        <code className="text-sm whitespace-nowrap">{action}</code>{' '}
        {outcome === 'refused' && <Badge tone="danger">Refused</Badge>}
      </>
    ),
  },
  {
    title: 'Target',
    cell: ({ target: { type, id, name } }) => (
      <>
        <span className="text-sm text-soft">{type}</span> <bdi className="break-words">{name ?? id ?? 'None'}</bdi>
      </>
    ),
  },
  { title: 'Changes', cell: entry => <EntryChanges entry={entry} /> },
]

function Actor({ entry: { actor, authenticated_by, address } }: { entry: AuditEntry }) {
  return (
    <>
      <bdi className="break-words">{actor.name ?? actor.id ?? 'Unknown'}</bdi>
      <br />
      <span className="text-sm text-soft">
        {authenticated_by.replaceAll('_', ' ')}
        {address !== null && `, ${address}`}
      </span>
    </>
  )
}
