// The guardrail events of a project as they happen, newest first. The filters are in the address.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { lastDays } from '../../api/days.ts'
import { liveMs, type OneProject, projectQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/fields.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Failure, Loaded, Loading, Updated } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { DayChart } from './day-chart.tsx'
import { DayFields } from './day-fields.tsx'
import { eventColumns } from './event-columns.tsx'
import { defaultDays, type EventFilter, eventNames, readEventFilter } from './filter.ts'
import { eventsQuery, reportQuery } from './queries.ts'

const from = '/app/projects/$projectId/guardrail-events'

export function EventsScreen() {
  const { projectId } = useParams({ from })
  const project = useQuery(projectQuery(projectId))
  return (
    <Page
      title="Guardrail events"
      lead={
        <>
          What the guardrails detected in requests and answers, as it happens, of the last 30 days. An event never
          contains the text. <a href="/docs/guardrails#guardrail-events">What the events mean</a>.{' '}
          <Link to="/app/projects/$projectId/guardrail-report" params={{ projectId }} search={{}}>
            The report
          </Link>{' '}
          sums them up.
        </>
      }
    >
      <Loaded query={project} what="the project">
        {data => <Events key={data.id} project={data} />}
      </Loaded>
    </Page>
  )
}

function Events({ project }: { project: OneProject }) {
  // The router adds what the address says besides.
  const filter = useSearch({ from })
  const { from: first, to } = filter
  const report = useQuery(reportQuery(project.id, { ...(first && { from: first }), ...(to && { to }) }))
  return (
    <>
      <Filters filter={filter} />
      <Loaded query={report} what="the chart">
        {data => <DayChart report={data} />}
      </Loaded>
      <EventTable project={project} filter={filter} />
    </>
  )
}

function Filters({ filter }: { filter: EventFilter }) {
  const navigate = useNavigate({ from })
  const change = (changed: Record<string, string>) =>
    void navigate({ search: readEventFilter({ ...filter, ...changed }), replace: true })
  const isFiltered = Object.keys(filter).length > 0
  return (
    <search className="flex flex-wrap items-end gap-4">
      <SelectField name="type" label="What" value={filter.type ?? ''} onValue={type => change({ type })}>
        <option value="">All events</option>
        {Object.entries(eventNames).map(([type, name]) => (
          <option key={type} value={type}>
            {name}
          </option>
        ))}
      </SelectField>
      <DayFields days={{ ...lastDays(defaultDays), ...filter }} change={change} />
      {isFiltered && <Button onClick={() => void navigate({ search: {}, replace: true })}>Clear the filters</Button>}
    </search>
  )
}

function EventTable({ project, filter }: { project: OneProject; filter: EventFilter }) {
  const [isPaused, setPaused] = useState(false)
  const events = useInfiniteQuery({ ...eventsQuery(project, filter), refetchInterval: isPaused ? false : liveMs })
  const retry = () => void events.refetch()
  if (events.data === undefined) {
    return events.isError ? <Failure error={events.error} retry={retry} /> : <Loading what="the events" />
  }
  // New events would move the older ones on while they are read.
  const showOlder = () => {
    setPaused(true)
    void events.fetchNextPage()
  }
  return (
    <section aria-label="Events" className="flex flex-col items-stretch gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Button aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          Pause
        </Button>
        <span className="text-soft">{isPaused ? 'New events are not shown.' : 'New events appear by themselves.'}</span>
      </div>
      {events.isError && <Failure error={events.error} retry={retry} />}
      <Updated isOutdated={events.isPlaceholderData}>
        <Table
          caption="Guardrail events"
          columns={eventColumns}
          rows={events.data.pages.flatMap(({ data }) => data)}
          keyOf={({ id }) => id}
          empty={<NoEvents isFiltered={Object.keys(filter).length > 0} projectId={project.id} />}
        />
      </Updated>
      {events.hasNextPage && (
        <p>
          <Button isBusy={events.isFetchingNextPage} onClick={showOlder}>
            Show older events
          </Button>
        </p>
      )}
    </section>
  )
}

function NoEvents({ isFiltered, projectId }: { isFiltered: boolean; projectId: string }) {
  if (isFiltered) return <Empty title="No events match the filters">Choose other days, or all events.</Empty>
  return (
    <Empty title="No events in the last 30 days">
      <p>Set the guardrails to shadow or enforce mode and deploy; an event appears about a second after its request.</p>
      <Link to="/app/projects/$projectId/guardrails" params={{ projectId }}>
        Go to the guardrails
      </Link>
    </Empty>
  )
}
