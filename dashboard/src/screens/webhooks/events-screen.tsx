// The events of a tenant in the last 30 days, newest first: those of its projects, keys and members, and those of the
// guardrails. The filter is in the address.
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { projectsQuery } from '../../api/queries.ts'
import { SelectField } from '../../ui/fields.tsx'
import { Awaited, Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Pager } from '../../ui/tables/pager.tsx'
import { ShortTime } from '../../ui/time.tsx'
import { RequestLink } from '../events/request-link.tsx'
import { describeTenantEvent } from './describe-event.ts'
import { listedEventNames, nameOfEvent, readTenantEventFilter } from './event-names.ts'
import { type TenantEvent, tenantEventsQuery } from './queries.ts'

const from = '/app/tenants/$tenantId/events'

export function TenantEventsScreen() {
  const { tenantId } = useParams({ from })
  const filter = useSearch({ from })
  const navigate = useNavigate({ from })
  const events = useQuery(tenantEventsQuery(tenantId, filter))
  const projects = useQuery(projectsQuery(tenantId))
  const { cursor, ...withoutCursor } = filter
  const go = (next: string | undefined) =>
    void navigate({ search: next === undefined ? withoutCursor : { ...withoutCursor, cursor: next } })
  return (
    <Page
      title="Events"
      lead={
        <>
          What happened in the tenant in the last 30 days. No event contains a text of your users.{' '}
          <Link to="/app/tenants/$tenantId/webhooks" params={{ tenantId }}>
            Webhooks
          </Link>{' '}
          send them to a service of yours, except those of the guardrails.
        </>
      }
    >
      <search className="max-w-sm">
        <SelectField
          name="type"
          label="What"
          value={filter.type ?? ''}
          onValue={type => void navigate({ search: readTenantEventFilter({ type }), replace: true })}
        >
          <option value="">All events</option>
          {Object.entries(listedEventNames).map(([type, name]) => (
            <option key={type} value={type}>
              {name}
            </option>
          ))}
        </SelectField>
      </search>
      <Loaded query={events} what="the events">
        {({ data, next_cursor: next }) => (
          <>
            <Awaited queries={[projects]} />
            <Table
              caption="Events"
              columns={columnsOf(new Map(projects.data?.map(({ id, name }) => [id, name])))}
              rows={data}
              keyOf={({ id }) => id}
              empty={
                <Empty title="No such events in the last 30 days">
                  A change of a project, a key or a member appears here at once.
                </Empty>
              }
            />
            <Pager cursor={cursor} next={next} go={go} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

const columnsOf = (projectNames: ReadonlyMap<string, string>): Column<TenantEvent>[] => [
  { title: 'Time', cell: ({ created_at }) => <ShortTime iso={created_at} /> },
  { title: 'What', cell: ({ type }) => nameOfEvent(type) },
  {
    title: 'Project',
    cell: ({ project_id: projectId }) =>
      projectId === null ? (
        '–'
      ) : (
        <Link to="/app/projects/$projectId" params={{ projectId }}>
          <bdi>{projectNames.get(projectId) ?? projectId}</bdi>
        </Link>
      ),
  },
  {
    title: 'Request',
    isMinor: true,
    cell: ({ project_id: projectId, data: { request_id: requestId } }) =>
      projectId !== null && requestId !== undefined ? (
        <RequestLink projectId={projectId} requestId={String(requestId)} />
      ) : (
        '–'
      ),
  },
  {
    title: 'Details',
    cell: event => <bdi>{describeTenantEvent(event)}</bdi>,
  },
]
